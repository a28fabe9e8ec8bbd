// Cells that a run leaves as they were: each says why, until the next run. What the reader stopped is not begun again
// for the sake of another cell.

export class Unrun {
  #told = [];
  #stopped = new Map(); // {cell: the texts, {number: text}, with which it was stopped}

  /**
   * `needed(cell)`: the cells that it needs, and it; `linked(words)`: the same with links to the cells that they name.
   */
  constructor(needed, linked) {
    Object.assign(this, { needed, linked });
  }

  say(cells, why, how = "Not run: ") {
    for (const each of cells.filter(({ element }) => element)) {
      each.tell(...this.linked(how + why));
      this.#told.push(each);
    }
  }

  clear() {
    for (const each of this.#told.splice(0)) each.tell();
  }

  /** This cell was stopped, with these texts. One that the reader cannot run herself may run for others. */
  stopped(cell, texts) {
    if (cell.editable) this.#stopped.set(cell, texts);
  }

  /** It came to an end. */
  ended(cell) {
    this.#stopped.delete(cell);
  }

  /** Was it stopped with the texts that it would run with now? */
  isStopped(cell, texts) {
    const then = this.#stopped.get(cell);
    return Boolean(then) && this.needed(cell).every(({ number }) => then[number] === texts[number]);
  }
}
