// What checkers find in the launches of a reader's kernel, which may come out right all the same: one line below the
// cell that was run.

import { isChangedIn } from "./marks.js";

export class Found {
  #lines = new Set();
  #left = new Set(); // what checkers did not look at

  /** `cells`: {number: Cell}. */
  constructor(cells) {
    this.cells = cells;
    this.begin();
  }

  /** A run of these `texts`, {number: text}, begins: what an earlier one found, and could not say, is not its own. */
  begin(texts = {}) {
    this.isChanged = isChangedIn(texts);
    this.#lines.clear();
    this.#left.clear();
  }

  /** Keep what was found in the reader's text, and what was not looked at there; the other outputs are the cell's. */
  taken(outputs) {
    const isReaders = ({ text }) =>
      [...text.matchAll(/In\[(\d+)\]/g)].some(([, number]) => this.cells[number] && this.isChanged(this.cells[number]));
    const kept = { found: this.#lines, unchecked: this.#left };
    for (const output of outputs) if (kept[output.kind] && isReaders(output)) kept[output.kind].add(output.text);
    return outputs.filter(({ kind }) => !Object.hasOwn(kept, kind));
  }

  /** The first of what was found since this was said, and what was left out, in words; none if nothing was. */
  said() {
    const [first, ...more] = this.#lines, left = [...this.#left];
    this.begin();
    const many = more.length ? `It is one of ${more.length + 1} findings.` : "";
    return [first, many, ...left].filter(Boolean).map((words) => ` ${words}`);
  }
}
