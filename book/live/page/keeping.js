// What the reader has changed on a page: kept in this browser, else in the address, joined with what links and other
// tabs bring, reset, and brought back.
import { apartOf, aside, cellOf, isAside, joined, ofCell, onlyTexts, without } from "./edits.js";
import { brought, carry, isEdit, isOwn, linkOf } from "./links.js";
import { isChanged } from "./marks.js";
import { showApart } from "./panel.js";
import { goTo } from "./places.js";

const changesOf = (cell) => ({ [cell.name]: isChanged(cell) ? cell.text : undefined, ...cell.typed });
const told = (changes) => JSON.stringify(Object.entries(onlyTexts(changes)).sort());

/** All, with the reader's own of a cell in which another tab has something else, which gets names that no cell has. */
const withOwn = (all, cell) => onlyTexts({ ...joined(all, { [cell.name]: cell.text, ...cell.typed }), ...changesOf(cell) });

const titles = (cells) => cells.map(({ title }) => title).join(", ");

export class Keeping {
  #undone = null; // what "Reset all" took away, as long as nothing else is changed
  #runs = null;
  #cells = []; // that can be changed; none before the page is open

  /** `kept`: the browser's (edits.js); `invite()` says what a page that is not open has. */
  constructor(kept, panel, invite) {
    Object.assign(this, { kept, panel, invite });
  }

  /** The page has editors from now on. */
  opens(cells, runs) {
    this.#cells = cells.filter(({ editable }) => editable);
    this.#runs = runs;
  }

  /** The reader's changes in cells of this page; before it is open, in any. */
  #own() {
    const all = Object.assign(this.kept.all(), ...this.#cells.map((cell) => onlyTexts(changesOf(cell))));
    const fits = new Set(this.#cells.map(({ name }) => name)), isOwn = (name) => !this.#runs || fits.has(cellOf(name));
    return Object.fromEntries(Object.entries(all).filter(([name]) => !isAside(name) && isOwn(name)));
  }

  /** How many cells have changes of the reader's? */
  get count() {
    return new Set(Object.keys(this.#own()).map(cellOf)).size;
  }

  showCount() {
    this.panel.changes(this.count, this.#undone !== null);
  }

  /** Say it, if there is anything to say. */
  say(words) {
    if (words) this.panel.say(words, { stays: true });
  }

  /** Changes that are in no cell, below the bar. */
  showOthers() {
    const others = apartOf(this.kept.all(), this.#cells.map(({ name }) => name));
    const forget = (name) => (this.kept.put({ [name]: undefined }), this.showOthers());
    showApart(others, this.panel, forget, (name) => this.#about(name));
    return Object.keys(others).length;
  }

  /** Of which cell is a text that stands in none, and of when? */
  #about(name) {
    const own = name.replace(/(, own \d+)+$/, ""), cell = this.#cells.find((each) => each.name === cellOf(own));
    const what = `${cell ? cell.title : "A cell that this page does not have"}${own === cellOf(own) ? "" : ", its playground"}`;
    const { at, tab } = this.kept.written()[name] ?? {};
    if (!at) return what;
    const when = new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
    return `${what}, ${when}, ${tab === this.kept.tab ? "in this tab" : "in another tab, or on an earlier visit"}`;
  }

  /**
   * What the browser does not keep; of a cell that lacks a part all, so that a link of it means the same everywhere.
   */
  #unkept() {
    const names = new Set(Object.keys(this.kept.unkept).map(cellOf));
    const lacking = this.#cells.filter(({ name }) => names.has(name));
    return Object.assign({}, this.kept.unkept, ...lacking.map(changesOf));
  }

  /**
   * Keep these. Where the browser does not, the address carries what it lacks, and what is then to be said is given.
   */
  #keep(changes) {
    this.#undone = null;
    const stays = this.kept.put(changes);
    this.showCount();
    if (stays || !Object.keys(this.kept.unkept).length) return leaveLink(), "";
    const carried = carry(this.#unkept());
    const how = carried ? "the address of this page carries them now. Copy it" : "copy a link to each of them";
    return `This browser keeps no changes, or has no room for yours: ${how} before you leave.`;
  }

  /** A cell has its text of these changes, or the page's, and what is to stand in its playgrounds. */
  #fill(cell, changes) {
    cell.put(changes[cell.name] ?? cell.source);
    cell.typed = ofCell(changes, cell.name);
    delete cell.typed[cell.name];
  }

  /**
   * The reader went on with this cell, or with what it shows. What another tab has instead is put aside, and so are
   * these names.
   */
  keep(cell, apart = []) {
    this.#hear();
    const all = this.kept.all(), others = cell.other || apart.length;
    const own = cell.other ? joined(all, { [cell.name]: cell.text, ...cell.typed }) : { ...all, ...cell.typed };
    const moved = aside(onlyTexts(own), apart);
    for (const name of apart) delete cell.typed[name];
    const lacks = this.#keep({ ...without(all), ...moved, ...changesOf(cell) });
    cell.meets(null);
    if (others) this.showOthers();
    const typed = "What you typed into its playground is kept below the title: another cell makes another playground.";
    this.say(lacks || (apart.length && typed));
  }

  /** The reader wrote another text. */
  changed(cell) {
    this.panel.goesOn();
    this.keep(cell, Object.keys(onlyTexts(cell.typed)));
    this.#runs.changed(cell);
  }

  /**
   * The reader's changes, when the page `opens`, and those of a link, each into its cell; what is to be said of them.
   * The page goes to the link's.
   */
  take(opens = false) {
    let linked = {}, broken = "";
    const own = isOwn();
    try {
      linked = brought(location.hash);
    } catch (error) {
      broken = error.message;
    }
    const among = (changes) => {
      const names = new Set(Object.keys(changes).map(cellOf));
      return this.#cells.filter(({ name }) => names.has(name));
    };
    const kept = this.kept.all(), to = among(linked);
    const all = joined(to.filter(({ other }) => other).reduce((own, cell) => withOwn(own, cell), kept), linked);
    const changed = opens ? among(all) : to;
    for (const cell of changed) this.#fill(cell, all);
    this.#runs.marks.renew(true);
    const lacks = this.#keep({ ...without(kept), ...all }), others = this.showOthers();
    for (const cell of to) cell.meets(null);
    const [first, ...more] = own ? [] : to, back = opens && !first ? changed.filter(({ name }) => name in all) : [];
    if (first) setTimeout(() => goTo(first.element)); // once it has its editor
    const words = [
      broken, first && `The link's change${more.length ? "s are" : " is"} in ${titles(to)}: run it.`,
      back.length && `Your change is back in ${titles(back)}, not run yet.`,
      others && "Some changes are not in the page: see below.", lacks,
    ];
    return words.filter(Boolean).join(" ");
  }

  /** A browser tells no page that sleeps what another tab has kept meanwhile: it is asked. */
  #hear() {
    const news = new Set(this.kept.news().map(cellOf));
    if (news.size) this.#meet(this.#cells.filter(({ name }) => news.has(name)));
  }

  /** Another tab of the page has kept a change, or forgotten one. */
  met() {
    this.#undone = null;
    if (!this.#runs) return this.invite();
    this.#meet(this.#cells);
  }

  /** What another tab may have in these cells. */
  #meet(cells) {
    const all = this.kept.all();
    for (const cell of cells) {
      const theirs = () => ofCell(this.kept.all(), cell.name);
      cell.meets(told(ofCell(all, cell.name)) === told(changesOf(cell)) ? null : () => this.#takeOver(cell, theirs()));
    }
    this.showOthers();
    this.showCount();
  }

  #takeOver(cell, theirs) {
    cell.meets(null);
    const lacks = this.#keep(theirs), { text } = cell;
    this.#fill(cell, theirs);
    if (cell.text === text) cell.retype();
    this.#runs.changed(cell);
    this.say(lacks);
  }

  #put(changes) {
    for (const cell of this.#cells) {
      this.#fill(cell, changes);
      cell.meets(null);
    }
    this.#runs?.marks.renew(true);
    return this.#keep(changes);
  }

  /** The button's: reset all, or undo that. */
  resetOrUndo() {
    if (this.#undone) this.#undo(this.#undone);
    else this.#reset();
  }

  #reset() {
    this.#hear();
    const isBoth = (cell) => cell.other && Object.keys(onlyTexts(changesOf(cell))).length;
    for (const cell of this.#cells.filter(isBoth)) this.keep(cell);
    const own = this.#own();
    this.#put(without(own));
    this.#undone = own;
    this.showCount();
    if (!this.#runs) this.invite(); // nothing waits any more
    this.panel.say(this.#runs ? "All cells have the page's text again." : "Your changes of this page are forgotten.");
  }

  #undo(changes) {
    const lacks = this.#put(changes);
    if (this.#runs) this.panel.say(lacks || "Your changes are back, not run yet.", { passes: !lacks });
    else this.invite();
  }

  /** A link that carries a cell, to copy. */
  async share(cell) {
    const changes = changesOf(cell), typed = Object.values(cell.typed).some(Boolean);
    let link;
    try {
      link = linkOf(location.href, changes);
    } catch (error) {
      return this.panel.say(error.message);
    }
    try {
      await navigator.clipboard.writeText(link);
      const also = typed ? ", with what you typed into its playground" : "";
      this.panel.say(`The link is copied: it carries your cell${also}, and nothing was sent.`);
    } catch {
      const carried = carry({ ...this.#unkept(), ...changes });
      const neither = "This browser neither copies nor changes an address: select the cell's text, and copy it.";
      this.panel.say(carried ? "The address of this page now carries your cell: copy it." : neither);
    }
  }
}

/** The address carries no change any more: a reload would bring it over a later one. */
function leaveLink() {
  if (isEdit(location.hash)) history.replaceState(null, "", location.pathname + location.search);
}
