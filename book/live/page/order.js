// Which cells run? A cell's number is that of Jupyter: In[3] is the third cell of code.

/** The cells that run one after the other: all but those of puzzles, which no other cell needs. A puzzle's last cell is its solution. */
export function withoutPuzzles(numbers, puzzles) {
  const apart = new Set(Object.values(puzzles).flatMap(([setup, , check]) => numbers.filter((each) => each >= setup && each <= check + 1)));
  return numbers.filter((each) => !apart.has(each));
}

/** Which cells does a cell need? Python says it of the texts at each run (needs.py); until then, and of a text that is newer, all before it count. */
export class Order {
  #lines = {};
  #texts = {};

  constructor(numbers, source) {
    Object.assign(this, { numbers, source });
  }

  /** The texts of all cells now. */
  texts() {
    return Object.fromEntries(this.numbers.map((number) => [number, this.source(number)]));
  }

  /** Python's answer for these texts: the cells to run, in order. */
  planned({ due, lines }, texts) {
    this.#lines = lines;
    this.#texts = texts;
    return due;
  }

  /** The cells that this one needed with the texts of the last run, in order, and it. */
  needed(number, orElse = () => false) {
    const before = this.numbers.slice(0, this.numbers.indexOf(number) + 1), needs = this.#lines[number];
    return needs ? before.filter((each) => needs.includes(each) || orElse(each)) : before;
  }

  /** The cells that this one needs now, in order, and it. */
  line(number) {
    return this.needed(number, (each) => this.#texts[each] !== this.source(each));
  }
}
