// A live page: "Run here" turns its Python cells into editors, and what they give is replaced in place.
// Nothing is loaded before the click; edits stay in this browser, and go into a link when the reader asks.
import { Cell } from "./cells.js";
import { listen } from "./controls.js";
import { joined, Kept, parted } from "./edits.js";
import { json } from "./files.js";
import { brought, isEdit, linkOf } from "./links.js";
import { h } from "./outputs.js";
import { Panel, showApart } from "./panel.js";
import { Python } from "./python.js";
import { Runs } from "./runs.js";

const own = document.querySelector("script[data-cells]");
const beside = (name) => new URL(name, import.meta.url).href;
const kept = new Kept(() => localStorage, location.pathname);
let cells = {}, runs = null;
const panel = new Panel({ size: +own.dataset.bytes, licences: beside("../licences.txt"), start: open, stop: halt });

function editor() {
  if (globalThis.gpusimEditor) return undefined;
  return new Promise((resolve, reject) => {
    const came = () => (globalThis.gpusimEditor ? resolve() : reject(new Error("The editor did not come: reload the page."))); // a page may come in its place
    document.head.append(h("script", { src: beside("editor.js"), onload: came, onerror: came }));
  });
}

/** The address carries no change any more: a reload would bring it over a later one. */
function leaveLink() {
  if (isEdit(location.hash)) history.replaceState(null, "", location.pathname + location.search);
}

/** The reader's changes and those of a link, each into its cell; what is to be said of them, and the cell of the link's. */
function take() {
  let linked = {}, broken = "";
  try {
    linked = brought(location.hash);
  } catch (error) {
    broken = error.message;
  }
  const all = joined(kept.all(), linked);
  if (kept.put(all)) leaveLink();
  const byName = new Map(Object.values(cells).filter((cell) => cell.editable).map((cell) => [cell.name, cell]));
  const { fit, apart } = parted(all, byName);
  for (const [name, text] of Object.entries(fit)) {
    const cell = byName.get(name);
    if (cell.text !== text) cell.put(text);
    if (text !== cell.source) cell.stale();
  }
  const sent = byName.get(Object.keys(linked).find((name) => name in fit)), back = Object.keys(fit).length && !sent;
  showApart(apart, panel, (name) => kept.put({ [name]: undefined }));
  const words = [
    broken, sent && `The link's change is in ${sent.title}: run it.`, back && "Your changes are back: run a cell to see what it gives.",
    Object.keys(apart).length && "Some changes are not in the page: see below.",
  ];
  return { words: words.filter(Boolean).join(" "), sent };
}

function changed(cell) {
  const stays = kept.put({ [cell.name]: cell.text === cell.source ? undefined : cell.text });
  if (stays) leaveLink();
  else panel.say("This browser keeps no changes: copy a link to yours before you leave.");
  if (cell.text === cell.source) panel.say(`${cell.title} has the page's text again: run it to have what the page shows.`);
  for (const each of runs.puzzles[cell.number] ?? [cell.number]) cells[each].stale();
}

async function share(cell) {
  const address = linkOf(location.href, { [cell.name]: cell.text });
  try {
    await navigator.clipboard.writeText(address);
    panel.say("The link is copied: it carries your cell, and nothing was sent.");
  } catch {
    history.replaceState(null, "", address);
    panel.say("The address of this page now carries your cell: copy it.");
  }
}

function halt() {
  runs.python.end();
  panel.say("Stopped. Cells run again from the first when you run one.");
}

/** Editors, once; then Python. */
async function open() {
  panel.on();
  panel.say("Loading the editor …");
  try {
    const [files, page] = await Promise.all([json(beside("files.json")), json(beside(own.dataset.cells)), editor()]);
    cells = Object.fromEntries(Object.entries(page.cells).map(([number, cell]) => [number, new Cell(+number, cell)]));
    const python = new Python(beside, files, (bytes) => panel.loading(bytes));
    runs = new Runs(cells, page.puzzles, python, panel);
    const { words, sent } = take();
    for (const cell of Object.values(cells)) cell.edit({ changed, share, run: (each) => runs.run(each) });
    sent?.element.scrollIntoView({ block: "center" });
    listen((control, value) => runs.tell(control, value));
    await runs.start(words);
  } catch (error) {
    panel.off();
    panel.say(error.message);
  }
}

function invite() {
  try {
    panel.invite(Object.keys(brought(location.hash)).length ? "This link carries somebody's change of a cell. " : "");
  } catch (error) {
    panel.invite(`${error.message} `);
  }
}

addEventListener("hashchange", () => { // a link was pasted where the page is open
  if (!isEdit(location.hash)) return;
  if (!runs) return invite();
  const { words, sent } = take();
  panel.say(words);
  sent?.element.scrollIntoView({ block: "center" });
});
invite();
document.querySelector("article h1")?.after(panel.element);
