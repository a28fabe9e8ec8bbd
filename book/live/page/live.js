// A live page: "Run here" turns its Python cells into editors, and what they give is replaced in place.
// Nothing is loaded before the click; edits stay in this browser, and go into a link when the reader asks.
import { Cell } from "./cells.js";
import { listen } from "./controls.js";
import { cellOf, isAside, joined, Kept, ofCell, onlyTexts, parted, without } from "./edits.js";
import { json } from "./files.js";
import { brought, isEdit, linkOf } from "./links.js";
import { isChanged } from "./marks.js";
import { h } from "./outputs.js";
import { Panel, showApart } from "./panel.js";
import { goTo } from "./places.js";
import { Python } from "./python.js";
import { Runs } from "./runs.js";

const own = document.querySelector("script[data-cells]");
const beside = (name) => new URL(name, import.meta.url).href;
const kept = new Kept(() => localStorage, location.pathname);
let cells = {}, runs = null, undone = null; // what "Reset all" took away, as long as nothing else is changed
const panel = new Panel({ size: +own.dataset.bytes, licences: beside("../licences.txt"), start: open, stop: halt, reset: () => (undone ? undo() : reset()) });

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

/** The address carries these changes; whether the browser let it. */
function carry(changes) {
  try {
    history.replaceState(null, "", linkOf(location.href, changes));
    return true;
  } catch {
    return false; // too long, or too often
  }
}

const editable = () => Object.values(cells).filter((cell) => cell.editable);
const changesOf = (cell) => ({ [cell.name]: isChanged(cell) ? cell.text : undefined, ...cell.typed });

/** What the browser does not keep; of a cell that lacks a part all, so that a link of it means the same everywhere. */
function unkept() {
  const names = new Set(Object.keys(kept.unkept).map(cellOf));
  return Object.assign({}, kept.unkept, ...editable().filter(({ name }) => names.has(name)).map(changesOf));
}

/** How many cells of the page have changes of the reader's? */
function count() {
  const all = [kept.all(), ...editable().map(changesOf)].map((changes) => Object.keys(onlyTexts(changes)).filter((name) => !isAside(name)).map(cellOf));
  const fits = new Set(editable().map(({ name }) => name));
  return new Set(all.flat().filter((name) => !runs || fits.has(name))).size;
}

const showCount = () => panel.changes(count(), undone !== null);

/** Keep these. Where the browser does not, the address carries what it lacks, and what is then to be said is given. */
function keep(changes) {
  undone = null;
  const stays = kept.put(changes);
  showCount();
  if (stays || !Object.keys(kept.unkept).length) return leaveLink(), "";
  const how = carry(unkept()) ? "the address of this page carries them now. Copy it" : "copy a link to each of them";
  return `This browser keeps no changes, or has no room for yours: ${how} before you leave.`;
}

/** A cell has its text of these changes, or the page's, and what is to stand in its playgrounds. */
function fill(cell, changes) {
  const text = changes[cell.name] ?? cell.source;
  if (cell.text !== text) cell.put(text); // an open editor says so to `changed`
  cell.typed = ofCell(changes, cell.name);
  delete cell.typed[cell.name];
}

/** Changes that are in no cell, below the bar. */
function showOthers() {
  const names = new Set(editable().map(({ name }) => name));
  const { apart } = parted(kept.all(), { has: (name) => names.has(cellOf(name)) });
  showApart(apart, panel, (name) => kept.put({ [name]: undefined }));
  return Object.keys(apart).length;
}

/** The reader's changes and those of a link, each into its cell; what is to be said of them. The page goes to the link's. */
function take(opens = false) {
  let linked = {}, broken = "";
  try {
    linked = brought(location.hash);
  } catch (error) {
    broken = error.message;
  }
  const own = kept.all(), all = joined(own, linked), sent = new Set(Object.keys(linked).map(cellOf));
  const changedOnes = new Set(Object.keys(all).map(cellOf)), byName = new Map(editable().map((cell) => [cell.name, cell]));
  for (const [name, cell] of byName) if (changedOnes.has(name) || sent.has(name)) fill(cell, all);
  runs.marks.renew(true);
  const lacks = keep({ ...without(own), ...all }), others = showOthers();
  const [first, ...more] = [...byName.values()].filter(({ name }) => sent.has(name)), back = opens && !first ? [...byName.values()].filter(({ name }) => name in all) : [];
  if (first) setTimeout(() => goTo(first.element)); // once it has its editor
  const titles = (these) => these.map(({ title }) => title).join(", ");
  const words = [
    broken, first && `The link's change${more.length ? "s are" : " is"} in ${titles([first, ...more])}: run it.`,
    back.length && `Your change is back in ${titles(back)}, not run yet.`,
    others && "Some changes are not in the page: see below.", lacks,
  ];
  return words.filter(Boolean).join(" ");
}

/** Say it, if there is anything to say. */
const say = (words) => words && panel.say(words);

function changed(cell) {
  const { typed } = cell, all = kept.all(), aside = cell.other ? { ...without(all), ...joined(all, { [cell.name]: cell.text }) } : {};
  cell.typed = {}; // another cell makes another playground
  say(keep({ ...without(typed), ...aside, ...changesOf(cell) }));
  if (cell.other) showOthers();
  cell.meets(null);
  runs.changed(cell);
}

/** Another tab of the page has kept a change, or forgotten one. */
function met() {
  if (!runs) return invite();
  const all = kept.all(), told = (changes) => JSON.stringify(Object.entries(changes).sort());
  for (const cell of editable()) {
    const theirs = ofCell(all, cell.name);
    cell.meets(told(theirs) === told(onlyTexts(changesOf(cell))) ? null : () => {
      cell.meets(null);
      fill(cell, theirs);
      say(keep(theirs));
    });
  }
  showOthers();
  showCount();
}

function put(changes) {
  for (const cell of editable()) fill(cell, changes);
  return keep(changes);
}

function reset() {
  const changes = Object.assign(kept.all(), ...editable().map((cell) => onlyTexts(changesOf(cell))));
  const own = Object.fromEntries(Object.entries(changes).filter(([name]) => !isAside(name)));
  put(without(own));
  undone = own;
  showCount();
  panel.say(runs ? "All cells have the page's text again." : "Your changes of this page are forgotten.");
}

function undo() {
  const lacks = put(undone);
  if (runs) panel.say(lacks || "Your changes are back, not run yet.");
  else invite();
}

async function share(cell) {
  const changes = changesOf(cell);
  try {
    await navigator.clipboard.writeText(linkOf(location.href, changes));
    panel.say(`The link is copied: it carries your cell${Object.values(cell.typed).some(Boolean) ? ", with what you typed into its playground" : ""}, and nothing was sent.`);
  } catch {
    const carried = carry({ ...unkept(), ...changes });
    panel.say(carried ? "The address of this page now carries your cell: copy it." : "This browser neither copies nor changes an address: select the cell's text, and copy it.");
  }
}

function halt() {
  const { loaded } = runs.python;
  runs.python.end();
  panel.say(loaded ? "Stopped. Your changes stay; Python starts anew when you run a cell." : "Stopped before Python was there. Run a cell, and it loads.");
}

/** Editors, once; then Python. */
async function open() {
  panel.on();
  panel.say("Loading the editor …");
  try {
    const [files, page] = await Promise.all([json(beside("files.json")), json(beside(own.dataset.cells)), editor()]);
    cells = Object.fromEntries(Object.entries(page.cells).map(([number, cell]) => [number, new Cell(+number, cell)]));
    const python = new Python(beside, files, (bytes) => panel.loading(bytes));
    runs = new Runs(cells, page.puzzles, python, panel, (cell) => say(keep(cell.typed)));
    const words = take(true);
    for (const cell of Object.values(cells)) cell.edit({ changed, share, run: (each) => runs.turns.run(each) });
    listen((control, value) => runs.turns.tell(control, value));
    await runs.turns.start(words);
  } catch (error) {
    panel.off();
    panel.say(error.message);
  }
}

function invite() {
  const words = [];
  try {
    if (Object.keys(brought(location.hash)).length) words.push("This link carries somebody's change of a cell.");
  } catch (error) {
    words.push(error.message);
  }
  const many = count();
  if (many) words.push(`This browser keeps your changes of ${many > 1 ? `${many} cells` : "one cell"}: “Run here” brings them back.`);
  panel.invite(words);
  showCount();
}

addEventListener("hashchange", () => { // a link was pasted where the page is open
  if (!isEdit(location.hash)) return;
  if (!runs) return invite();
  say(take());
});
addEventListener("storage", ({ key }) => (key === null || key === kept.key) && met());
invite();
document.querySelector("article h1")?.after(panel.element, panel.terms);
