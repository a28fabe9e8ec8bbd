// What Python says of the cells to run (ran.py), for pages of a few lines: a cell needs all before it, or what `needs(number, before)` gives; `kernels(number)` are those of a cell, with who runs them.
export class Planner {
  #ran = new Map();

  constructor(needs = (number, before) => before, kernels = () => []) {
    Object.assign(this, { needs, kernels });
  }

  ran({ number, source }) {
    this.#ran.set(number, source);
  }

  plan({ texts, number, last }) {
    const numbers = Object.keys(texts).map(Number), line = (each) => [...this.needs(each, numbers.filter((other) => other < each)), each];
    const first = numbers.find((each) => this.#ran.get(each) !== texts[each]) ?? number;
    return { due: numbers.filter((each) => each >= Math.min(first, number) && each <= last), lines: Object.fromEntries(numbers.map((each) => [each, line(each)])), kernels: this.kernels(number) };
  }
}
