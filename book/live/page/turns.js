// Python does one thing at a time: what the reader asks for meanwhile has its turn next.
import { alarmOf, redraw, unasked } from "./controls.js";
import { Stopped } from "./python.js";

const RUNS = "Running the playground …";

export class Turns {
  #busy = false;
  #next = null; // the cell that the reader asked for while something ran, and how `far`
  #moved = new Map(); // controls that the reader moved while Python was busy, each with its newest value

  /**
   * `work(cell, far)` runs a cell; `forget()` is called before each new Python, which knows nothing yet, and `over()`
   * after each turn.
   */
  constructor(python, panel, { work, forget, over }) {
    Object.assign(this, { python, panel, work, forget, over });
  }

  /** Load Python after the reader's click; `words` are what is then to be said, until the reader goes on. */
  start(words) {
    return this.#alone(() => {
      const ready = `Ready. ${words || "Change a cell and press Run below it, or Shift and Enter."}`;
      if (!this.#next) this.panel.say(ready, { passes: true });
    });
  }

  #begin() {
    this.forget();
    this.#moved.clear();
    return this.python.begin();
  }

  /** In the turn of a cell: a new Python, as what the one before has set cannot be taken back. */
  anew() {
    this.python.end();
    return this.#begin();
  }

  /** Of cells that are asked for while something runs, the last runs next. */
  run(cell, far = false) {
    return this.#busy ? this.#wait({ cell, far }) : this.#alone(() => this.work(cell, far));
  }

  #wait(next) {
    this.#next?.cell.waits(false);
    this.#next = next;
    next?.cell.waits(true);
  }

  /** The reader moved a control of a playground: what changes in turn is drawn again. False if nobody hears it. */
  tell(control, value) {
    if (control === undefined || !this.python.runs) return this.panel.say("Run the cell again: the Python of its controls has ended."), false;
    this.#moved.set(+control, value);
    if (!this.#busy) return this.#alone(() => this.#told());
  }

  async #told() {
    for (const [control, value] of this.#moved) {
      this.#moved.delete(control);
      if (!this.panel.stays) this.panel.say(RUNS);
      const began = performance.now();
      redraw(await this.python.ask({ told: { control, value } }));
      this.#report(alarmOf(control), began);
    }
  }

  /**
   * The bar says how the run of a playground ended: what went wrong, or, if nothing else was said meanwhile, that all
   * is well.
   */
  #report(alarm, began) {
    if (alarm) this.panel.say(`In the playground, ${alarm.replace(/^<playground>:(\d+): /, "line $1: ")}`);
    else if (this.panel.said.textContent === RUNS) this.panel.say(`The playground ran in ${((performance.now() - began) / 1000).toFixed(1)} s: see its results.`, { passes: true });
  }

  async #alone(work) {
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
      if (!this.python.runs) this.#moved.clear(); // nobody hears it
      if (!this.#moved.size) unasked();
      this.over();
    }
    if (this.#moved.size) return this.#alone(() => this.#told());
    const next = this.#next;
    this.#wait(null);
    return next && this.run(next.cell, next.far);
  }

  #failed(error) {
    const waits = this.#next?.cell;
    this.#wait(null);
    if (!(error instanceof Stopped)) this.panel.failed(error, waits ? ` ${waits.title}, which was to run next, has not run.` : "");
  }
}
