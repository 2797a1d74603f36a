/** Who answers this page: the file that it is, the local server that it came from, or Python behind a notebook. */

import { openFramed, type Notebook } from "./comm_source";
import { fileSource } from "./file_source";
import { openServed } from "./http_source";
import { shelfOfPage, type Shelf } from "./record";
import type { Source } from "./source";

export interface Answerer {
  shelf: Shelf;
  source: Source;
  /** Settles when questions are answered at once. */
  ready: Promise<void>;
  notebook: Notebook | null;
}

export async function whoAnswers(page: Document): Promise<Answerer> {
  const said = page.querySelector<HTMLMetaElement>('meta[name="featmap-source"]')?.content;
  if (said === "server") return { ...(await openServed()), ready: Promise.resolve(), notebook: null };
  if (said === "notebook") return { ...(await openFramed()), ready: Promise.resolve() };
  const shelf = shelfOfPage(page);
  return { shelf, ...fileSource(shelf, page), notebook: null };
}
