/** Answers of the local server that `featmap explore` starts. */

import { gathering } from "./gathering";
import { parting } from "./parting";
import type { Head, Shelf } from "./record";
import { sourceOf, type Answer, type Source } from "./source";
import { packed, unpacked } from "./wire";

const TOKEN = "token";
const NO_SERVER = "The server does not answer. Start it again and open the link that it shows.";

export interface Served {
  shelf: Shelf;
  source: Source;
}

/** What the server has. The page was opened with a link that ends in the token. */
export async function openServed(): Promise<Served> {
  const headers = { Authorization: `Bearer ${takeToken()}` };
  const get = async (path: string) => wholeOf(await reached(fetch(path, { headers })));
  const head = JSON.parse(new TextDecoder().decode(await get("head"))) as Head;
  const source = sourceOf(async (question, asking) => {
    const { signal } = asking ?? {};
    const body = packed(question);
    const response = await reached(fetch("ask", { method: "POST", headers, body, ...(signal ? { signal } : {}) }));
    return unpacked(await wholeOf(response)) as Answer;
  });
  return { shelf: { head, bytes: (name) => get(`parts/${name}`) }, source: parting(gathering(source), head.nRows) };
}

/** The token of the link. It is taken out of the link, which may be passed on, and kept for when the page is reloaded. */
function takeToken(): string {
  const entries = location.hash.replace(/^#/, "").split("&").filter(Boolean);
  const [prefix, others] = [`${TOKEN}=`, entries.filter((entry) => !entry.startsWith(`${TOKEN}=`))];
  const said = entries.find((entry) => entry.startsWith(prefix))?.slice(prefix.length);
  if (said === undefined) return sessionStorage.getItem(TOKEN) ?? "";
  sessionStorage.setItem(TOKEN, said);
  history.replaceState(null, "", `#${others.join("&")}`);
  return said;
}

async function reached(asked: Promise<Response>): Promise<Response> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Error(NO_SERVER);
  }
}

async function wholeOf(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  if (!response.ok) throw new Error(await response.text());
  return new Uint8Array(await response.arrayBuffer());
}
