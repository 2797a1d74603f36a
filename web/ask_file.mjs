// Asks the worker of an HTML file questions, as the page does, without a browser.
// node ask_file.mjs page.html questions.json answers.json
import { readFileSync, writeFileSync } from "node:fs";
import vm from "node:vm";

const [page, questions, answers] = process.argv.slice(2);
const html = readFileSync(page, "utf8");

function textOf(id) {
  const opening = html.indexOf(` id="featmap-${id}">`);
  const start = html.indexOf(">", opening) + 1;
  return html.slice(start, html.indexOf("</script>", start));
}

const waiting = new Map();
globalThis.self = {
  onmessage: null,
  postMessage(message) {
    if (!("done" in message)) waiting.get(message.id)(message);
  },
};
vm.runInThisContext(textOf("worker"));

let lastId = 0;
function send(message) {
  const id = ++lastId;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    self.onmessage({ data: { id, ...message } });
  });
}

/** Arrays as their type and bytes, so that JSON loses nothing of them. */
function encoded(_, value) {
  if (!ArrayBuffer.isView(value)) return value;
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return { array: value.constructor.name.replace("Array", "").toLowerCase(), bytes: bytes.toString("base64") };
}

/** CPU time since then, in milliseconds: other work on the machine does not count. */
function spent(since) {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

const head = JSON.parse(textOf("head"));
const bytes = Object.fromEntries(
  head.parts.map(({ name }) => [name, new Uint8Array(Buffer.from(textOf(`part-${name}`), "base64"))]),
);
let start = process.cpuUsage();
const opened = await send({ kind: "open", head, bytes });
if (opened.error) throw new Error(opened.error);
const found = [{ milliseconds: spent(start), answer: null }];
const rows = (list) => list && Int32Array.from(list);
for (const given of JSON.parse(readFileSync(questions, "utf8"))) {
  const question = { ...given };
  for (const name of ["rows", "a", "b"]) if (name in question) question[name] = rows(question[name]);
  start = process.cpuUsage();
  const message = await send({ kind: "ask", question });
  found.push({ milliseconds: spent(start), ...message });
}
writeFileSync(answers, JSON.stringify(found, encoded));
process.exit(0);
