/** The page, for whoever answers it. */
import { openPage, sayWhy } from "./open";
import { whoAnswers } from "./answerer";
import { shareSelection } from "./sharing";
import { followLink } from "./store";

async function start(root: HTMLElement): Promise<void> {
  const { shelf, source, ready, notebook } = await whoAnswers(document);
  const drawn = openPage(shelf, source, root, notebook ? "" : location.hash).then((store) =>
    notebook ? shareSelection(store, notebook) : followLink(store),
  );
  await Promise.all([drawn, ready]);
  root.dataset["ready"] = "true";
}

const root = document.getElementById("featmap-app") ?? document.body;
start(root).catch((error: unknown) => sayWhy(root, error));
