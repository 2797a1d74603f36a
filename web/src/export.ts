/** What can be taken along: text for files, and files for the reader. */

export type Cell = string | number | boolean | null;

export interface Table {
  readonly title: string;
  readonly header: readonly string[];
  readonly lines: readonly (readonly Cell[])[];
}

/** A spreadsheet would compute such text. It passes over what cannot be seen, and may read letters of full width. */
const FORMULA = /^[\s\u0000-\u001f]*[=+\-@＝＋－＠]|^[\t\r\n]/;
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A table as comma-separated values. Text that a spreadsheet would compute has an apostrophe before it. */
export function csvOf(table: Table): string {
  return [table.header, ...table.lines].map((line) => line.map(csvCell).join(",") + "\r\n").join("");
}

export function csvCell(cell: Cell): string {
  if (typeof cell === "number") return Number.isFinite(cell) ? String(cell) : "";
  if (cell === null) return "";
  const text = String(cell);
  const safe = FORMULA.test(text) ? "'" + text : text;
  return /[",\r\n]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
}

/** Text as it stands in XML. Characters that XML does not know are left out. */
export function xmlText(text: string): string {
  const escaped: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replace(NOT_IN_XML, "").replace(/[&<>"']/g, (character) => escaped[character]);
}

/** An element of XML, with escaped attributes. The content is XML already. */
export function xml(name: string, attributes: Readonly<Record<string, string | number>>, content = ""): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${xmlText(String(value))}"`);
  return `<${name}${written.join("")}${content ? `>${content}</${name}>` : "/>"}`;
}

/** Row numbers, one on each line. */
export function rowsText(rows: ArrayLike<number>): string {
  return Array.from(rows, (row) => `${row}\n`).join("");
}

/** A name that every file system takes. */
export function fileName(title: string, ending: string): string {
  const plain = title.replace(/[^\p{Letter}\p{Number}_-]+/gu, "_").replace(/^_+|_+$/g, "").slice(0, 60);
  return `${plain || "featmap"}.${ending}`;
}

/** Hands a file to the reader. */
export function download(name: string, content: Blob | string, type = "text/plain;charset=utf-8"): void {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
