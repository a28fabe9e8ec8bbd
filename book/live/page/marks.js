// Which results are old? A result is of texts: its cell's, and those of the cells that ran before it. While one of them
// is another text now, it is old.

/** Has a cell the reader's text? */
export const isChanged = ({ text, source }) => text !== source;

/** Had a cell the reader's text when these ran, {number: text}? */
export const isChangedIn = (texts) => ({ number, text, source }) => (texts[number] ?? text) !== source;

export class Marks {
  #of = new Map(); // {number: text} that a result is of, where they are not the page's; null: what stands there is told by another run
  #stay = new Set(); // cells that ran, while what stands there stayed the page's result

  /** `line(number)`: the numbers of the cells that a cell follows, in order, and its own. */
  constructor(cells, line) {
    this.cells = cells;
    this.line = (number) => line(number).map((each) => cells[each]);
  }

  /** The cell's result is of these texts from now on. */
  made(number, texts, stays = false) {
    this.#of.set(number, texts);
    if (stays) this.#stay.add(number);
    else this.#stay.delete(number);
  }

  /** The first cell that keeps this one from its page's results. */
  inTheWay({ number }) {
    return this.line(number).find(isChanged);
  }

  /**
   * Mark what is old, and nothing else. What has the page's texts again, with those before it, gets the page's results;
   * an error stays until a text is `changed`.
   */
  renew(changed = false) {
    for (const cell of Object.values(this.cells)) {
      if (!cell.element) continue;
      const line = this.line(cell.number), of = this.#of.get(cell.number);
      const old = of === null || line.some(({ number, text, source }) => text !== (of?.[number] ?? source));
      if (old && (of !== null || changed) && !line.some(isChanged)) {
        this.#of.delete(cell.number);
        cell.putBack();
      } else cell.stale(this.#stay.has(cell.number) ? line.some(isChanged) : old);
    }
  }
}
