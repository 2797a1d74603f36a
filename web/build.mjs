// Makes the files that the library ships. The same sources give the same bytes.
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "..", "src", "featmap", "explorer", "static");

const common = {
  absWorkingDir: here,
  bundle: true,
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
  minify: true,
  target: ["chrome103", "firefox113", "safari16.4"],
  treeShaking: true,
  write: false,
};

/** Preact can write markup, which the page never asks for. With this nobody can: markup would be written as text. */
const textOnly = {
  name: "text-only",
  setup({ onLoad }) {
    onLoad({ filter: /preact[\\/]dist[\\/]preact\.m?js$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      if (!source.includes("innerHTML")) throw new Error(`${path} has changed: see textOnly in build.mjs`);
      return { contents: source.replaceAll(".innerHTML", ".textContent"), loader: "js" };
    });
  },
};

/** For elements: `h(…)` is shorter by 3 kB in all than what TypeScript makes of them. */
const elements = {
  inject: ["jsx.mjs"],
  tsconfigRaw: { compilerOptions: { jsx: "react", jsxFactory: "h", jsxFragmentFactory: "Fragment", strict: true } },
};

/** Bundles one entry and returns its text with the packages that it contains. */
async function bundled(entry, options = {}) {
  const result = await build({ ...common, format: "iife", ...options, entryPoints: [`src/${entry}`], plugins: [textOnly] });
  const packages = Object.keys(result.metafile.inputs).map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return { text: result.outputFiles[0].text, packages: packages.filter((name) => name !== undefined) };
}

/** The licence of every bundled package, with its name and version. */
async function licences(names) {
  const texts = [];
  for (const name of [...new Set(names)].sort()) {
    const folder = join(here, "node_modules", name);
    const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    texts.push(`${name} ${version} (${license})\n\n${(await readFile(join(folder, "LICENSE"), "utf8")).trim()}\n`);
  }
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

const [app, worker, widget, style] = await Promise.all([
  bundled("app.tsx", elements),
  bundled("worker.ts"),
  bundled("widget.ts", { format: "esm" }),
  bundled("app.css"),
]);
await mkdir(target, { recursive: true });
await Promise.all([
  writeFile(join(target, "app.js"), app.text),
  writeFile(join(target, "worker.js"), worker.text),
  writeFile(join(target, "widget.js"), widget.text),
  writeFile(join(target, "app.css"), style.text),
  writeFile(join(target, "LICENSES.txt"), await licences([...app.packages, ...worker.packages])),
]);
