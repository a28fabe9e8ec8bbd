// What a reader has changed: {name of a cell: the reader's text}. A name is made of the text that the page was published
// with (build.py), so that a change meets its own cell or none, wherever a new edition of the page puts that cell.

/** Only texts are changes; whatever else stands there is none. */
export const onlyTexts = (found) => Object.fromEntries(Array.isArray(found) ? [] : Object.entries(found ?? {}).filter(([, text]) => typeof text === "string"));

/** The changes of one page, as the browser keeps them: the storage is asked each time, for other tabs write there, too. */
export class Kept {
  constructor(storage, page) {
    this.storage = storage;
    this.key = `gpusim edits ${page}`;
  }

  all() {
    try {
      return onlyTexts(JSON.parse(this.storage().getItem(this.key)));
    } catch {
      return {}; // a page may be refused a memory
    }
  }

  /** Keep these, and forget those without a text; false where the browser keeps nothing. */
  put(changes) {
    try {
      this.storage().setItem(this.key, JSON.stringify({ ...this.all(), ...changes })); // JSON leaves out what is undefined
      return true;
    } catch {
      return false;
    }
  }
}

/** The reader's changes with those that a link brought. Of two for one cell the link's counts, and the reader's own gets a name that no cell has. */
export function joined(own, brought) {
  const all = { ...own };
  for (const [name, text] of Object.entries(brought)) {
    if (Object.hasOwn(own, name) && own[name] !== text) {
      let aside = 1;
      while (Object.hasOwn(all, `${name}, own ${aside}`)) aside++;
      all[`${name}, own ${aside}`] = own[name];
    }
    all[name] = text;
  }
  return all;
}

/** Which changes belong to cells of this edition that a reader can change, and which do not? */
export function parted(all, names) {
  const [fit, apart] = [true, false].map((wanted) => Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name) === wanted)));
  return { fit, apart };
}
