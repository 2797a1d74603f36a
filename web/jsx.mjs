// What elements become in the bundle: see `elements` in build.mjs.
export { Fragment, h } from "preact";
