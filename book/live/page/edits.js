// What a reader has changed: {name of a cell: the reader's text}. A name is made of the text that the page was published
// with (build.py), so that a change meets its own cell or none, wherever a new edition of the page puts that cell.

/** Only texts are changes; whatever else stands there is none. */
export function onlyTexts(found) {
  const entries = typeof found !== "object" || Array.isArray(found) ? [] : Object.entries(found ?? {});
  return Object.fromEntries(entries.filter(([, text]) => typeof text === "string"));
}

/** The same names, without their texts: to `put` it is to forget them. */
export const without = (changes) => Object.fromEntries(Object.keys(changes).map((name) => [name, undefined]));

/** The cell to which a name of a change belongs: a playground that the cell shows has a name of its own (cells.js). */
export const cellOf = (name) => name.replace(/, playground( \d+)?$/, "");

/** Was it put aside for another change of its cell (`joined`)? */
export const isAside = (name) => /, own \d+$/.test(name);

/** Those of a cell, with its playgrounds'. */
export const ofCell = (changes, cell) =>
  Object.fromEntries(Object.entries(changes).filter(([name]) => cellOf(name) === cell));

/**
 * The changes of one page, as the browser keeps them: the storage is asked each time, for other tabs write there, too.
 */
export class Kept {
  #known = {}; // what this page last read or wrote there
  #waiting = {}; // what the storage did not take: as long as the page is open, it is here

  /** `tab`: a name for this visit in this tab, which no copy of the tab has. */
  constructor(storage, page, tab = "") {
    Object.assign(this, { storage, tab, key: `gpusim edits ${page}` });
    this.news();
  }

  /** The names of which another tab has written something since this page last read or wrote; none the next time. */
  news() {
    const stored = this.#stored(), names = Object.keys({ ...this.#known, ...stored });
    const found = names.filter((name) => stored[name] !== this.#known[name]);
    this.#known = stored;
    return found;
  }

  /** When, and in which tab, was each text written? {name: {at, tab}}, as far as the browser keeps it. */
  written() {
    try {
      return Object(JSON.parse(this.storage().getItem(`${this.key} written`)));
    } catch {
      return {};
    }
  }

  /** A text that gets another name was written when it was. */
  #note(stored, wanted) {
    const before = this.written(), now = { at: Date.now(), tab: this.tab };
    const of = ([name, text]) => [name, ...Object.keys(stored)].find((each) => stored[each] === text && before[each]);
    const texts = Object.entries(onlyTexts({ ...stored, ...wanted }));
    const noted = texts.map(([name, text]) => [name, before[of([name, text])] ?? (name in wanted ? now : undefined)]);
    try {
      this.storage().setItem(`${this.key} written`, JSON.stringify(Object.fromEntries(noted)));
    } catch {} // then it is not known
  }

  #stored() {
    try {
      return onlyTexts(JSON.parse(this.storage().getItem(this.key)));
    } catch {
      return {}; // a page may be refused a memory
    }
  }

  all() {
    return onlyTexts({ ...this.#stored(), ...this.#waiting });
  }

  /** What the browser does not keep. */
  get unkept() {
    return onlyTexts(this.#waiting);
  }

  /** Keep these, and forget those without a text; false where the browser keeps nothing, or has no room. */
  put(changes) {
    const stored = this.#stored(), wanted = { ...this.#waiting, ...changes };
    try {
      this.storage().setItem(this.key, JSON.stringify({ ...stored, ...wanted })); // JSON leaves out what is undefined
      this.#waiting = {};
    } catch {
      this.#waiting = Object.fromEntries(Object.entries(wanted).filter(([name, text]) => stored[name] !== text));
      return false;
    }
    this.#note(stored, wanted);
    this.#known = this.#stored();
    return true;
  }
}

/** Those that belong to none of these cells: theirs have another text in this edition, or are gone. */
export const apartOf = (all, cells) =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !cells.includes(cellOf(name))));

/** The same, where the texts of these names have names that no cell has; one that is there already once. */
export function aside(all, names) {
  const moved = { ...all };
  for (const name of names) {
    const text = moved[name], named = (number) => `${name}, own ${number}`;
    let number = 1;
    while (Object.hasOwn(moved, named(number)) && moved[named(number)] !== text) number++;
    moved[named(number)] = text;
    delete moved[name];
  }
  return moved;
}

/**
 * The reader's changes with those that a link brought. The link's cell counts, with its playgrounds; the reader's own
 * of another text are put aside.
 */
export function joined(own, brought) {
  const differing = Object.entries(brought).filter(([name, text]) => own[name] !== text);
  const others = new Set(differing.map(([name]) => cellOf(name)));
  const isOther = ([name, text]) => others.has(cellOf(name)) && brought[name] !== text;
  return { ...aside(own, Object.entries(own).filter(isOther).map(([name]) => name)), ...brought };
}
