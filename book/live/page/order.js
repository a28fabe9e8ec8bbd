// Which cells run one after the other, and which does each need? A cell's number is that of Jupyter: In[3] is the third
// cell of code.

/**
 * What the page's own texts need is known where the book is built, and what others do is Python's answer at each run
 * (ran.py).
 */
export class Order {
  #lines = {}; // of the last run
  #texts = {};

  /** `cells`: {number: Cell}; those that need nothing, not even themselves, run elsewhere or in a puzzle. */
  constructor(cells) {
    this.cells = cells;
    this.numbers = Object.keys(cells).map(Number).filter((number) => cells[number].needs.length);
  }

  /** The texts of all cells now. */
  texts() {
    return Object.fromEntries(this.numbers.map((number) => [number, this.cells[number].text]));
  }

  /** Python's answer for these texts: the cells to run, in order. */
  planned({ due, lines }, texts) {
    this.#lines = lines;
    this.#texts = texts;
    return due;
  }

  /** The cells that this one needed with the texts of the last run, in order, and it. */
  needed(number) {
    return this.#lines[number] ?? this.cells[number].needs;
  }

  /**
   * The cells that this one needs now: of a text that is newer than the last run, what it needed then, and what it
   * needs on the page.
   */
  line(number) {
    const then = this.needed(number), { text, needs } = this.cells[number];
    if (text === this.#texts[number]) return then;
    return this.numbers.filter((each) => then.includes(each) || needs.includes(each));
  }
}
