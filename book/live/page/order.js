// Which cells run? A cell's number is that of Jupyter: In[3] is the third cell of code.

/** The cells that run one after the other: all but those of puzzles, which no other cell needs. A puzzle's last cell is its solution. */
export function withoutPuzzles(numbers, puzzles) {
  const apart = new Set(Object.values(puzzles).flatMap(([setup, , check]) => numbers.filter((each) => each >= setup && each <= check + 1)));
  return numbers.filter((each) => !apart.has(each));
}

/** The cells that have run, with the text that each had: from the first that failed, or has another text now, all run again. */
export class Order {
  constructor(numbers, source) {
    this.numbers = numbers;
    this.source = source;
    this.forget();
  }

  forget() {
    this.ran = [];
  }

  /** The cells to run so that `number` is run anew, and all from there to `last`. */
  due(number, last) {
    const changed = this.ran.findIndex((text, at) => text !== this.source(this.numbers[at]));
    const [own, end] = [number, last].map((each) => this.numbers.indexOf(each));
    const first = Math.min(changed < 0 ? this.ran.length : changed, own);
    this.ran.length = first;
    return this.numbers.slice(first, end + 1);
  }

  /** The next of them ended, with the text that it had when it began. */
  ended(text, failed) {
    this.ran.push(failed ? null : text);
  }
}
