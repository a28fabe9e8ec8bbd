// What runs after the reader's click, one thing at a time: the cells that the changed one needs and those that follow from it.
import { editTexts, redraw } from "./controls.js";
import { Order, withoutPuzzles } from "./order.js";
import { show } from "./outputs.js";
import { Stopped } from "./python.js";

export class Runs {
  #busy = false;
  #tried = new Set(); // puzzles that know the page's own kernel
  #moved = new Map(); // controls that the reader moved while Python was busy, each with its newest value

  /** `cells`: {number: Cell}, in order. */
  constructor(cells, puzzles, python, panel) {
    Object.assign(this, { cells, puzzles, python, panel });
    const numbers = Object.keys(cells).map(Number).filter((number) => !cells[number].elsewhere);
    this.order = new Order(withoutPuzzles(numbers, puzzles), (number) => cells[number].text);
  }

  /** Load Python after the reader's click; `words` are what is then to be said. */
  async start(words) {
    this.panel.working(true);
    try {
      await this.#begin(words);
    } catch (error) {
      this.#failed(error);
    }
    this.panel.working(this.#busy);
  }

  /** A new Python knows nothing yet. */
  async #begin(words = "") {
    this.order.forget();
    this.#tried.clear();
    this.#moved.clear();
    await this.python.begin();
    this.panel.say(`Ready. ${words || "Change a cell and press Run below it, or Shift and Enter."}`);
  }

  run(cell) {
    return this.#alone(async () => {
      const began = performance.now(), puzzle = cell.number in this.puzzles;
      const failed = await (puzzle ? this.#solve(cell) : this.#follow(cell));
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      const veiled = !puzzle && cell.element.closest("section")?.querySelector(".revealed:not([data-open])");
      const whole = `What stands below is of your kernel; numbers in the text are of the page's.${veiled ? " Answer the question there to see all of it." : ""}`;
      const said = new Map([
        [undefined, whole],
        [cell, "It ends with an error in your cell: what stands below it is as it was."],
      ]);
      this.panel.say(`Ran in ${seconds} s. ${said.get(failed) ?? "Your cell works, but what uses it below ends with an error, which stands under your cell: what follows is as it was."}`);
    });
  }

  /** The reader moved a control of a playground: what changes in turn is drawn again. */
  tell(control, value) {
    if (!this.python.runs) return void this.panel.say("Run the cell again: its controls ended with Stop.");
    this.#moved.set(control, value);
    return this.#alone(async () => {
      for (const [each, now] of this.#moved) {
        this.#moved.delete(each);
        redraw(await this.python.ask({ told: { control: each, value: now } }));
      }
    });
  }

  /** Let Python do something, and nothing else meanwhile. */
  async #alone(work) {
    if (this.#busy) return;
    this.#busy = true;
    this.panel.working(true);
    try {
      await (this.python.runs ? this.python.ready : this.#begin());
      await work();
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#busy = false;
      this.panel.working(false);
    }
    const [next] = this.#moved; // a control that moved meanwhile
    if (next && this.python.runs) this.tell(...next);
  }

  #failed(error) {
    if (!(error instanceof Stopped)) this.panel.say(`${error.message} Run a cell to try again.`);
  }

  #ask({ number }, source) {
    return this.python.ask({ run: { number, source } });
  }

  /** A puzzle needs no other cell. The page's own kernel runs before the first one of the reader. */
  async #solve(cell) {
    const [setup, , check] = this.puzzles[cell.number].map((number) => this.cells[number]);
    this.panel.say("Running your kernel …");
    if (!this.#tried.has(cell.number)) for (const each of [setup, cell, check]) await this.#ask(each, each.source);
    this.#tried.add(cell.number);
    return this.#inOrder([cell, check], cell);
  }

  /** To the end of the cell's section: what it changes is shown there. */
  #follow(cell) {
    const section = cell.element.closest("section");
    const within = this.order.numbers.filter((each) => each >= cell.number && section?.contains(this.cells[each].element));
    const due = this.order.due(cell.number, within.at(-1) ?? cell.number).map((number) => this.cells[number]);
    const say = (each) => this.panel.say(`Running ${each.title}, ${due.indexOf(each) + 1} of ${due.length} …`);
    return this.#inOrder(due, cell, say, (text, failed) => this.order.ended(text, failed));
  }

  /** Run these, up to the first that fails: that cell, if one does. What fails behind `asked` is told under it. */
  async #inOrder(cells, asked, before = () => {}, after = () => {}) {
    for (const [place, each] of cells.entries()) {
      before(each);
      const { text } = each, outputs = await this.#ask(each, text), error = outputs.find(({ kind }) => kind === "failed");
      after(text, Boolean(error));
      const follows = place > cells.indexOf(asked);
      if (error && !follows && !each.element) throw new Error(`${each.title}, which prepares the page, ends with ${error.text}.`);
      if (each.element && !(error && follows)) {
        show(each.element, outputs, error && each !== asked); // a question stays where an earlier cell fails
        if (editTexts(each.element, (control, text) => this.tell(control, text))) each.fold();
      }
      if (error && follows) {
        show(asked.element, [error], true);
        for (const old of cells.slice(place)) old.stale();
      }
      if (error && (follows || each === asked)) return each;
    }
  }
}
