// What runs after the reader's click: the cells that the changed one needs and those that follow from it.
import { disown, editTexts } from "./controls.js";
import { Found } from "./found.js";
import { isChanged, isChangedIn, Marks } from "./marks.js";
import { Order } from "./order.js";
import { h } from "./outputs.js";
import { listed } from "./places.js";
import { Stopped } from "./python.js";
import { linked, origin, told } from "./told.js";
import { Turns } from "./turns.js";
import { Unrun } from "./unrun.js";

export class Runs {
  #tried = new Set(); // puzzles that know the page's own kernel
  #due = []; // cells of this run, from the one that runs
  #ran = []; // those that came to their end

  /** `cells`: {number: Cell}, in order; `keep(cell)` what the reader types into its playground. */
  constructor(cells, puzzles, python, panel, keep) {
    Object.assign(this, { cells, puzzles, python, panel, keep, found: new Found(cells) });
    this.order = new Order(cells);
    this.marks = new Marks(cells, (number) => this.#line(number));
    this.unrun = new Unrun(this.#needed, (words) => linked(words, cells));
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
    this.unrun.clear();
    this.#due = [];
    this.#ran = [];
    const ended = await (puzzle ? this.#solve(cell, texts) : this.#follow(cell, texts, far)).catch((error) => {
      this.#broke(cell, error, texts);
      throw error;
    });
    if (texts[cell.number] !== cell.text && !isChanged(cell)) return this.changed(cell); // it was reset meanwhile
    if (ended.stopped) return this.#stays(cell, ended.stopped);
    const time = `Ran in ${((performance.now() - began) / 1000).toFixed(1)} s`;
    this.#sum(cell, ended, time, texts);
    const found = this.found.said().flatMap((words) => linked(words, this.cells));
    cell.tell(...this.#linked(told(cell, { ...ended, texts }, time)), ...found, ...this.#offer(cell, ended.further));
    cell.isToldOf(texts[cell.number]);
    for (const [each, { by, why }] of ended.lacking) if (each !== cell && each !== by) this.unrun.say([each], `${why}.`);
    for (const error of cell.element.querySelectorAll(".live-error")) error.replaceChildren(...linked(error.textContent, this.cells));
  }

  #linked = (parts) => parts.flatMap((part) => (typeof part === "string" ? linked(part, this.cells) : [part]));

  /** In the bar: how a run ended. */
  #sum(cell, { failed, at, above, verdict }, time, texts) {
    const where = at && !above.includes(failed) ? origin(cell, at, isChangedIn(texts)) : failed?.title;
    const words = failed ? `${where} ends with an error` : verdict ? `${verdict.words}. ${time}` : time;
    this.panel.say(`${words}: see below ${cell.title}.`, { passes: true });
  }

  /** A cell does not run, for the sake of one that it needs and that was `stopped`. */
  #stays(cell, stopped) {
    const why = `${stopped.title}, which ${cell.title} needs, was stopped`;
    this.panel.say(`Not run: ${why}.`);
    cell.tell(...linked(`Not run: ${why}. Change ${stopped.title}, or run it to its end.`, this.cells));
  }

  /**
   * The reader stopped the run, or Python ended in it: what has not run says so. What this page did wrong the bar
   * tells.
   */
  #broke(cell, error, texts) {
    const isStopped = error instanceof Stopped, [now, ...rest] = this.#due;
    if (!isStopped && error.constructor !== Error) return cell.tell(); // it runs no more
    if (isStopped && now) this.unrun.stopped(now, texts);
    const where = now && now !== cell ? `, while ${now.title} ran` : now ? "" : " before it ran";
    const words = isStopped ? `Stopped${where}.` : `Not run to its end: ${error.message}`;
    cell.tell(...linked(`${words}${this.#came()}`, this.cells));
    const why = isStopped ? `the run of ${cell.title} was stopped.` : "Python ended.";
    this.unrun.say(rest.filter((each) => this.#uses(each, cell)), why);
  }

  /** What of a run that was ended has run, all the same. */
  #came() {
    const seen = this.#ran.filter(({ element }) => element), titles = listed(seen.map(({ title }) => title)).join("");
    return seen.length ? ` ${titles} ran to ${seen.length > 1 ? "their ends" : "its end"}.` : "";
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
    this.unrun.clear();
    const first = this.marks.inTheWay(cell);
    const what = first ? `; ${first.title} has your change, so run it again` : ", and its results";
    this.panel.say(`${cell.title} has the page's text again${what}.`);
  }

  /**
   * Launches are checked where a text is the reader's that the cell needs; a puzzle, which needs none, checks its own.
   * What the page's own text claims is of the page's kernels, and tried where the book is built.
   */
  async #ask(cell, source) {
    const { number, needs } = cell, checks = needs.length > 0 && this.#needed(cell).some(this.found.isChanged);
    const run = { number, source, checks, claims: source !== cell.source };
    return this.found.taken(await this.python.ask({ run }));
  }

  /**
   * Python's answer to what is to run; that of a new one, where an earlier run set what must not count here, and what no
   * text takes back (ran.py).
   */
  async #plan(asked) {
    const plan = await this.python.ask({ plan: asked });
    if (plan.anew == null) return plan;
    this.panel.say(`A new Python begins: what ${this.cells[plan.anew].title} set before must not count here …`, { stays: true });
    await this.turns.anew();
    return this.python.ask({ plan: asked });
  }

  /** A puzzle needs no other cell. The page's own kernel runs before the first one of the reader. */
  async #solve(cell, texts) {
    const [setup, , check] = this.puzzles[cell.number].map((number) => this.cells[number]);
    await this.#plan({ texts: this.order.texts(), number: cell.number, last: cell.number });
    if (!this.#tried.has(cell.number)) {
      this.panel.say("Running the page’s kernel, which yours is compared with …");
      for (const each of [setup, cell, check]) await this.#ask(each, each.source);
    }
    this.#tried.add(cell.number);
    const say = (each) => this.panel.say(each === cell ? `Reading your kernel, ${cell.title} …` : "Running your kernel, also on numbers that the page does not show …");
    const ended = await this.#inOrder([cell, check], cell, texts, say);
    if (ended.failed && check.replaced) { // the reply to an earlier kernel would stand beside this one's error
      check.putBack();
      this.marks.made(check.number, null);
    }
    return { ...ended, above: [setup], verdict: ended.failed ? null : check.verdict };
  }

  /**
   * The cells that it needs and that lack; then it, and those of its section that need it: what it changes is shown
   * there.
   */
  async #follow(cell, texts, far) {
    const { number, title, source } = cell, section = cell.element.closest("section");
    const isWithin = (each) => each >= number && section?.contains(this.cells[each].element);
    const last = far ? this.order.numbers.at(-1) : this.order.numbers.findLast(isWithin) ?? number;
    const plan = await this.#plan({ texts, number, last, source });
    const due = this.order.planned(plan, texts);
    const what = (each) => {
      if (each === cell) return title;
      if (this.#uses(each, cell)) return `what uses ${title}`;
      return this.#uses(cell, each) ? `what ${title} needs` : `what is needed below ${title}`;
    };
    const say = (each) => {
      const words = `Running ${what(each)}, ${due.indexOf(each.number) + 1} of ${due.length} …`;
      this.panel.say(words);
      if (each.number > number) cell.tell("Your cell has run. ", words);
    };
    const above = this.#needed(cell).slice(0, -1), isDue = ({ number }) => due.includes(number);
    const stopped = above.find((each) => isDue(each) && this.unrun.isStopped(each, texts));
    if (stopped) return { stopped };
    const ended = await this.#inOrder(due.map((each) => this.cells[each]), cell, texts, say);
    const isFurther = (each) => each > last && this.cells[each].published && this.#uses(this.cells[each], cell);
    const further = this.order.numbers.filter(isFurther);
    const unlaunched = plan.kernels.filter(({ runs }) => !runs.some((each) => each <= last));
    const idle = unlaunched.map((kernel) => ({ ...kernel, runs: kernel.runs.map((each) => this.cells[each]) }));
    return { ...ended, above, idle, further: isChangedIn(texts)(cell) && !ended.failed ? further.length : 0 };
  }

  #uses(cell, other) {
    return cell !== other && this.#needed(cell).includes(other);
  }

  /** What a cell gave, put where it stands. */
  #show(each, texts, outputs) {
    const isPages = !this.#needed(each).some(isChangedIn(texts));
    const result = each.show(texts[each.number], outputs, isPages);
    this.marks.made(each.number, texts, result.stays);
    if (editTexts(each, (control, typed) => this.turns.tell(control, typed), this.keep)) each.fold();
    return result;
  }

  /** An error of another cell is told at `asked`, too, if it is the first. */
  #tellBeside(each, asked, error, texts, isFirst) {
    if (!this.#uses(asked, each)) {
      if (isFirst && this.#uses(each, asked)) asked.beside(error);
      return this.unrun.say([each], error.text.split("\n")[0], "Not run to its end: ");
    }
    if (!each.element) throw new Error(`${each.title}, which prepares the page, ends with ${error.text}.`);
    each.beside(error, texts[each.number]);
    asked.beside(error);
    for (const other of [each, asked]) this.marks.made(other.number, null);
  }

  /** Where an error came up, if in a cell. */
  #place({ at }) {
    const [number, line, kernel] = at ?? [];
    return this.cells[number] ? { cell: this.cells[number], line, kernel } : null;
  }

  /**
   * Run these, with these `texts`, but what needs one that failed; none once the asked one fails, one that it needs, or
   * its kernel in one that uses it. Which cell `failed` first of these and of those that use it, and `at` which place;
   * what each `showed`, from the asked one on, that uses it (cells.js); which are `lacking`, each with why.
   */
  async #inOrder(cells, asked, texts, before) {
    const showed = [], lacking = new Map();
    let failed = null, at = null;
    for (const [place, each] of cells.entries()) {
      this.#due = cells.slice(place);
      const lacks = this.#needed(each).find((other) => lacking.has(other)), uses = this.#uses(each, asked);
      if (lacks) lacking.set(each, lacking.get(lacks));
      else if (each !== asked && this.unrun.isStopped(each, texts)) lacking.set(each, { by: each, why: `${each.title} was stopped` });
      if (lacking.has(each)) continue;
      before(each);
      const outputs = await this.#ask(each, texts[each.number]), error = outputs.find(({ kind }) => kind === "failed");
      this.unrun.ended(each);
      this.#ran.push(each);
      if (error && each !== asked) this.#tellBeside(each, asked, error, texts, !failed);
      else if (each.element) {
        const result = this.#show(each, texts, outputs);
        if (each === asked || uses) showed.push(result);
      }
      if (!error) continue;
      const lack = { by: each, why: `${each.title} ends with an error` };
      lacking.set(each, lack);
      const here = this.#place(error), ends = each === asked || this.#uses(asked, each) || here?.cell === asked;
      if (!failed && (ends || uses)) [failed, at] = [each, here];
      if (!ends) continue;
      for (const other of cells.slice(place + 1)) if (this.#uses(other, asked)) lacking.set(other, lack);
      break;
    }
    return { failed, at, showed, lacking };
  }
}
