// What runs after the reader's click: the cells that the changed one needs and those that follow from it.
import { disown, editTexts } from "./controls.js";
import { Found } from "./found.js";
import { isChanged, isChangedIn, Marks } from "./marks.js";
import { Order } from "./order.js";
import { h } from "./outputs.js";
import { linked, told } from "./told.js";
import { Turns } from "./turns.js";

export class Runs {
  #tried = new Set(); // puzzles that know the page's own kernel

  /** `cells`: {number: Cell}, in order; `keep(cell)` what the reader types into its playground. */
  constructor(cells, puzzles, python, panel, keep) {
    Object.assign(this, { cells, puzzles, python, panel, keep, found: new Found(cells) });
    this.order = new Order(cells);
    this.marks = new Marks(cells, (number) => this.#line(number));
    const work = (cell, far) => this.#run(cell, far), forget = () => this.#forget(), over = () => this.marks.renew();
    this.turns = new Turns(python, panel, { work, forget, over });
  }

  /** The cells that this one needs, and it; those that it needed in the last run, if `needed`. */
  #line(number, needed = false) {
    const three = Object.values(this.puzzles).find((each) => each.includes(number));
    if (three) return three.slice(0, three.indexOf(number) + 1);
    return needed ? this.order.needed(number) : this.order.line(number);
  }

  /** The same as cells, of the last run. */
  #needed = ({ number }) => this.#line(number, true).map((each) => this.cells[each]);

  /** A new Python knows nothing yet. */
  #forget() {
    disown();
    this.#tried.clear();
  }

  /** What is said of a run is of the texts that ran, whatever the reader types meanwhile. */
  async #run(cell, far) {
    const began = performance.now(), puzzle = this.puzzles[cell.number];
    const texts = puzzle ? Object.fromEntries(puzzle.slice(1).map((number) => [number, this.cells[number].text])) : this.order.texts();
    this.found.begin(texts);
    const ended = await (puzzle ? this.#solve(cell, texts) : this.#follow(cell, texts, far));
    if (texts[cell.number] !== cell.text && !isChanged(cell)) return this.changed(cell); // it was reset meanwhile
    const time = `Ran in ${((performance.now() - began) / 1000).toFixed(1)} s`;
    this.panel.say(`${time}${ended.failed ? ", up to an error" : ""}: see below ${cell.title}.`);
    const found = this.found.said().flatMap((words) => linked(words, this.cells));
    cell.tell(...told(cell, { ...ended, texts }, time), ...found, ...this.#offer(cell, ended.further));
    for (const error of cell.element.querySelectorAll(".live-error")) error.replaceChildren(...linked(error.textContent, this.cells));
  }

  /** What uses the cell beyond its section runs when the reader asks for it. */
  #offer(cell, further) {
    if (!further) return [];
    const onclick = () => this.turns.run(cell, true), many = `${further} ${further > 1 ? "results" : "result"}`;
    return [" ", h("button", { type: "button", onclick }, `Run what uses it further down, too (${many})`)];
  }

  /** The cell has another text: what is old is marked; where it is the page's again, its results are back. */
  changed(cell) {
    this.marks.renew(true);
    if (isChanged(cell)) return;
    const first = this.marks.inTheWay(cell);
    const what = first ? `; ${first.title} has your change, so run it again` : ", and its results";
    this.panel.say(`${cell.title} has the page's text again${what}.`);
  }

  /** Launches are checked where a text is the reader's that the cell needs; a puzzle, which needs none, checks its own. What the page's own text claims is of the page's kernels, and tried where the book is built. */
  async #ask(cell, source) {
    const { number, needs } = cell, checks = needs.length > 0 && this.#needed(cell).some(this.found.isChanged);
    const run = { number, source, checks, claims: source !== cell.source };
    return this.found.taken(await this.python.ask({ run }));
  }

  /** A puzzle needs no other cell. The page's own kernel runs before the first one of the reader. */
  async #solve(cell, texts) {
    const [setup, , check] = this.puzzles[cell.number].map((number) => this.cells[number]);
    this.panel.say("Running your kernel …");
    if (!this.#tried.has(cell.number)) for (const each of [setup, cell, check]) await this.#ask(each, each.source);
    this.#tried.add(cell.number);
    return { ...(await this.#inOrder([cell, check], cell, texts)), above: [setup] };
  }

  /** The cells that it needs and that lack; then it, and those of its section that need it: what it changes is shown there. */
  async #follow(cell, texts, far) {
    const { number, title, source } = cell, section = cell.element.closest("section");
    let noted = false;
    const isWithin = (each) => each >= number && section?.contains(this.cells[each].element);
    const last = far ? this.order.numbers.at(-1) : this.order.numbers.findLast(isWithin) ?? number;
    const plan = await this.python.ask({ plan: { texts, number, last, source } }), due = this.order.planned(plan, texts);
    const what = (each) => {
      if (each === cell) return title;
      if (this.#uses(each, cell)) return `what uses ${title}`;
      return this.#uses(cell, each) ? `what ${title} needs` : `what is needed below ${title}`;
    };
    const say = (each) => {
      const words = `Running ${what(each)}, ${due.indexOf(each.number) + 1} of ${due.length} …`;
      this.panel.say(words);
      noted = each.number > number;
      if (noted) cell.tell("Your cell has run. ", words);
    };
    const above = this.#needed(cell).slice(0, -1);
    const ended = await this.#inOrder(due.map((each) => this.cells[each]), cell, texts, say).catch((error) => {
      if (noted) cell.tell();
      throw error;
    });
    const isFurther = (each) => each > last && this.cells[each].published && this.#uses(this.cells[each], cell);
    const further = this.order.numbers.filter(isFurther);
    const unlaunched = plan.kernels.filter(({ runs }) => !runs.some((each) => each <= last));
    const idle = unlaunched.map((kernel) => ({ ...kernel, runs: kernel.runs.map((each) => this.cells[each]) }));
    return { ...ended, above, idle, further: isChangedIn(texts)(cell) && !ended.failed ? further.length : 0 };
  }

  #uses(cell, other) {
    return cell !== other && this.#needed(cell).includes(other);
  }

  /**
   * Run these, with these `texts`; of what the asked one needs up to the first that fails, and of all else what needs
   * none that failed. Which cell failed, if the asked one, one that it needs or one that uses it does; what each `showed`,
   * from the asked one on, that uses it (cells.js); and which are `lacking`, each with the one that failed. What fails
   * elsewhere is told at `asked`, too.
   */
  async #inOrder(cells, asked, texts, before = () => {}) {
    const showed = [], lacking = new Map();
    let failed = null;
    for (const each of cells) {
      const lacks = this.#needed(each).find((other) => lacking.has(other));
      if (lacks) {
        lacking.set(each, lacking.get(lacks));
        continue;
      }
      before(each);
      const text = texts[each.number], outputs = await this.#ask(each, text), error = outputs.find(({ kind }) => kind === "failed");
      if (error && this.#uses(asked, each)) {
        if (!each.element) throw new Error(`${each.title}, which prepares the page, ends with ${error.text}.`);
        each.beside(error, text);
        asked.beside(error);
        for (const other of [each, asked]) this.marks.made(other.number, null);
        return { failed: each, showed, lacking };
      }
      if (error && each !== asked) {
        lacking.set(each, each);
        if (failed || !this.#uses(each, asked)) continue;
        failed = each;
        asked.beside(error);
        continue;
      }
      if (each.element) {
        const result = each.show(text, outputs, !this.#needed(each).some(isChangedIn(texts)));
        this.marks.made(each.number, texts, result.stays);
        if (each === asked || this.#uses(each, asked)) showed.push(result);
        if (editTexts(each, (control, typed) => this.turns.tell(control, typed), this.keep)) each.fold();
      }
      if (error) return { failed: each, showed, lacking };
    }
    return { failed, showed, lacking };
  }
}
