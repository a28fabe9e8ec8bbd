// A live page: "Run here" turns its Python cells into editors, and what they give is replaced in place.
// Nothing is loaded before the click; edits stay in this browser, and go into a link when the reader asks.
import { Cell } from "./cells.js";
import { listen, unfold } from "./controls.js";
import { Kept } from "./edits.js";
import { json } from "./files.js";
import { Keeping } from "./keeping.js";
import { brought, isEdit, isOwn } from "./links.js";
import { h } from "./outputs.js";
import { Panel } from "./panel.js";
import { Python } from "./python.js";
import { Runs } from "./runs.js";
import { Waiting } from "./waiting.js";

const own = document.querySelector("script[data-cells]");
const beside = (name) => new URL(name, import.meta.url).href;
const waiting = new Waiting(JSON.parse(own.dataset.names), open);
let runs = null, begun = false, cells = null;
const panel = new Panel({
  size: +own.dataset.bytes, licences: beside("../licences.txt"),
  start: open, stop: halt, reset: () => keeping.resetOrUndo(),
});
const keeping = new Keeping(new Kept(() => localStorage, location.pathname, String(Math.random())), panel, invite);

function editor() {
  if (globalThis.gpusimEditor) return undefined;
  return new Promise((resolve, reject) => {
    const came = () => { // a page may come in its place
      if (globalThis.gpusimEditor) resolve();
      else reject(new Error("The editor did not come: reload the page."));
    };
    document.head.append(h("script", { src: beside("editor.js"), onload: came, onerror: came }));
  });
}

function halt() {
  const { loaded } = runs.python, kept = "Stopped. Your changes stay; Python starts anew when you run a cell.";
  runs.python.end();
  unfold();
  panel.say(loaded ? kept : "Stopped before Python was there. Run a cell, and it loads.");
}

/** Python ended by itself. */
function lost(error) {
  unfold();
  panel.failed(error);
}

/** Editors, once; then Python. */
async function open() {
  if (begun) return;
  begun = true;
  panel.on();
  panel.say("Loading the editor …");
  try {
    const [files, page] = await Promise.all([json(beside("files.json")), json(beside(own.dataset.cells)), editor()]);
    cells = Object.fromEntries(Object.entries(page.cells).map(([number, cell]) => [number, new Cell(+number, cell)]));
    const python = new Python(beside, files, (bytes) => panel.loading(bytes), lost);
    runs = new Runs(cells, page.puzzles, python, panel, (cell) => keeping.keep(cell));
    keeping.opens(Object.values(cells), runs);
    const words = keeping.take(true), run = (cell) => runs.turns.run(cell);
    const does = { run, changed: (cell) => keeping.changed(cell), share: (cell) => keeping.share(cell) };
    waiting.clear();
    for (const cell of Object.values(cells)) cell.edit(does);
    listen((control, value) => runs.turns.tell(control, value));
    const plays = Object.values(cells).find((cell) => cell.source.includes("gpusim.playground("));
    await runs.turns.start(words || (plays && `Press Run below ${plays.title}: its controls appear.`));
  } catch (error) {
    if (cells) return panel.failed(error, " Reload the page: it is open only in part."); // what has an editor would get a second
    begun = false;
    panel.off();
    panel.failed(error);
  }
}

/** What "Run here" would bring is named, and marked where it is. */
function invite() {
  const parts = [];
  waiting.clear();
  try {
    const what = isOwn() ? "The address of this page carries your change" : "A link carries a change";
    const linked = waiting.mark(brought(location.hash), `${what} of this cell.`);
    const whose = isOwn() ? what : "This link carries somebody's change";
    if (linked.length) parts.push(`${whose} of `, ...linked, ". ");
  } catch (error) {
    parts.push(`${error.message} `);
  }
  const own = waiting.mark(keeping.kept.all(), "Your change of this cell is kept.");
  const [changes, them] = own.length > 2 ? ["changes", "them"] : ["change", "it"]; // each has its comma
  if (own.length) parts.push(`This browser keeps your ${changes} of `, ...own, `: “Run here” brings ${them} back. `);
  panel.invite(parts);
  keeping.showCount();
}

addEventListener("hashchange", () => { // a link was pasted where the page is open
  if (!isEdit(location.hash)) return;
  if (!runs) return invite();
  keeping.say(keeping.take());
});
addEventListener("storage", ({ key }) => (key === null || key === keeping.kept.key) && keeping.met());
addEventListener("pageshow", ({ persisted }) => persisted && keeping.met()); // no page hears what is written while it sleeps
invite();
document.querySelector("article h1")?.after(panel.element, panel.terms);
