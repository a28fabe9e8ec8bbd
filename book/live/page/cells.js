// Cells of Python become editors, with what can be done with a cell.
import { ofThePage, questions } from "./answers.js";
import { ANSWER, differences } from "./differences.js";
import { handOn, keepFocus } from "./focus.js";
import { h, outputOf, show } from "./outputs.js";
import { partsOf } from "./parts.js";

const CPP = "%%cuda", BY_CPP = "CUDA C++ runs in JupyterLab; a browser cannot compile it.";
const OTHER_ANSWER = "With your kernel, this question has another answer.";
const OF_CPP = "This cell needs one of CUDA C++, which a browser cannot compile: both run in JupyterLab, and here it stays as it was.";

/**
 * A cell of a page: its number, its name for the reader's changes, its published text and results, where it stands,
 * whether it runs elsewhere only or has an editor, and the cells that it needs (order.js).
 */
export class Cell {
  #marks = () => {};
  #ofPage = null; // the parts of what the page's text shows, and those of the last run
  #last = null;
  #toldOf = ""; // the text of which is told below it

  constructor(number, { name, place, source, elsewhere, editor, needs }) {
    Object.assign(this, { number, name, source, elsewhere, needs, text: source, ran: source, replaced: false, differs: [], typed: {} });
    this.element = document.querySelector(`.live-cell-${place}`);
    this.input = this.element?.querySelector(".cell_input");
    this.editable = editor && Boolean(this.input);
    const output = this.element && outputOf(this.element);
    this.published = output ? [...output.childNodes] : null;
  }

  get title() {
    return `In[${this.number}]`;
  }

  /** Does its own output say anything? */
  get shows() {
    return this.#parts().length > 0;
  }

  /** Under which name is kept what the reader types into a playground that it shows, the first or another? */
  playground(place) {
    return `${this.name}, playground${place ? ` ${place + 1}` : ""}`;
  }

  /** What is said beside "Run" as long as the results are of another text. */
  get due() {
    if (this.text !== this.ran) return `${this.text === this.source ? "The page's text" : "Your change"}, not run yet`;
    return Object.keys(this.typed).length && !this.replaced ? "The text that you typed into its playground is kept: run the cell" : "";
  }

  /** `changed(cell)` after each change of its text, `run(cell)`, `share(cell)` when the reader asks. */
  edit({ changed, run, share }) {
    const apart = this.input ?? this.element?.querySelector(".cell_output");
    if (this.elsewhere) apart?.append(h("p", { className: "live-note" }, this.source.startsWith(CPP) ? BY_CPP : OF_CPP));
    if (!this.editable) return;
    const button = (words, onclick) => h("button", { type: "button", onclick }, words);
    const due = h("span", { className: "live-due" });
    this.runs = button("Run", () => run(this));
    const whileChanged = [button("Reset", () => this.editor.put(this.source)), button("Copy a link to it", () => share(this))];
    this.#marks = () => {
      const isPages = this.text === this.source;
      for (const each of whileChanged) {
        if (isPages) handOn(each, this.runs);
        each.hidden = isPages;
      }
      due.textContent = this.due;
      this.#age();
    };
    const box = h("div", { className: "live-editor highlight" });
    this.input.hidden = true;
    this.input.before(box);
    this.editor = gpusimEditor({
      parent: box, text: this.text, label: `${this.title}, Python`, run: () => run(this), keys: "Shift+Enter runs it. Escape, then Tab, leaves the editor.",
      changed: (text) => {
        if (text === this.text) return; // it was put there
        this.text = text;
        changed(this);
        this.#marks();
      },
    });
    const title = h("span", { className: "live-title" }, this.title);
    box.append(h("div", { className: "live-tools" }, this.runs, due, ...whileChanged, title));
    this.#marks();
  }

  /** Another tab has another text of it, which `take` puts here; none if it has not. */
  meets(take) {
    handOn(this.other, this.runs);
    this.other?.remove();
    const words = "Another tab of this page has another text of this cell, which is kept. If you go on with yours, yours is kept, and the other stands below the title. ";
    this.other = take && h("p", { className: "live-other" }, words, h("button", { type: "button", onclick: take }, "Take that text"));
    if (take) this.#below(this.other);
    this.#marks();
  }

  /** Put it below the text, also where that is folded; above what a cell without a text shows. */
  #below(element) {
    const box = this.element.querySelector(".live-editor");
    if (box) (box.closest(".live-folded") ?? box).after(element);
    else this.element.prepend(element);
  }

  put(text) {
    this.text = text;
    this.editor?.put(text);
    this.#marks();
  }

  /** What is kept of its playgrounds is put there, where they are open. */
  retype() {
    (this.texts ?? []).forEach((text, place) => text.put(this.typed[this.playground(place)]));
  }

  /** Is what stands here old (marks.js)? */
  stale(old) {
    const output = this.#label();
    this.element.classList.toggle("live-stale", Boolean(output && old));
  }

  /** Whose result stands here is said above it where it is old. */
  #label() {
    const output = outputOf(this.element);
    const isReaders = this.replaced && output?.childNodes[0] !== this.published?.[0];
    if (output) output.dataset.of = isReaders ? "Of the run before:" : "Of the page's text:";
    return output;
  }

  /**
   * It ran with that text. How what it shows `differs` from the page's, in words, whether it `moved` since its last
   * run, whether it `stays`, as it is made elsewhere, and whether it `plays`, with controls. `isPages`: no text that it
   * follows is the reader's.
   */
  show(text, outputs, isPages) {
    const before = (this.#last ??= this.#ofPage ??= this.#parts());
    const stays = outputs.some(({ kind }) => kind === "elsewhere");
    this.#clear();
    if (stays) this.#restore();
    if (show(this.element, ofThePage(outputs, questions(this.published)))) this.replaced = true;
    const now = (this.#last = this.#parts());
    if (isPages) this.#ofPage = now;
    this.differs = outputs.some(({ kind }) => kind === "failed") ? [] : differences(this.#ofPage, now);
    const plays = now.some(({ controls }) => controls), isReaders = this.differs.length > 0 || (plays && !isPages);
    this.element.classList.toggle("live-changed", isReaders);
    if (isReaders) this.#compare();
    this.ran = text;
    this.#marks();
    return { cell: this, differs: this.differs, moved: JSON.stringify(before) !== JSON.stringify(now), stays, plays };
  }

  /** What a puzzle says to the reader's kernel, which it shows; none where it shows no reply. */
  get verdict() {
    const reply = outputOf(this.element)?.querySelector(".puzzle-reply");
    return reply && { cell: this, words: reply.classList.contains("puzzle-solved") ? "Solved" : "Not yet" };
  }

  /**
   * Whose its result is, which a button changes for the page's; how both differ is said where the run was asked for.
   */
  #compare() {
    const output = outputOf(this.element), question = this.differs.includes(ANSWER);
    const words = question ? OTHER_ANSWER : this.published ? "Your result." : "Your result: the page has none here.";
    const line = h("p", { className: "live-was" }, words);
    if (output && this.published && !question) line.append(" ", this.#pages(output));
    (output?.closest("details") ?? output)?.[this.verdict ? "after" : "before"](line); // a verdict comes first
  }

  /** The button that shows the page's result in place of the reader's, and back. */
  #pages(output) {
    const mine = [...output.childNodes];
    const other = h("button", { type: "button", onclick: () => {
      const pages = other.getAttribute("aria-pressed") !== "true";
      for (const each of mine) each.hidden = pages; // it stays, and hears Python
      for (const each of this.published) each.remove();
      if (pages) output.prepend(...this.published);
      other.setAttribute("aria-pressed", pages);
      other.textContent = pages ? "Back to yours" : "Show the page’s";
      this.#label();
    } }, "Show the page’s");
    return other;
  }

  /** An error, of its own `text` or of another cell, is told beside what stands here, which stays: a question, say. */
  beside(error, text = this.ran) {
    this.#hush();
    this.element.append(h("pre", { className: "live-error live-beside" }, error.text));
    this.ran = text;
    this.#marks();
  }

  /** The page's own results stand here again. */
  putBack() {
    this.#clear();
    this.#restore();
    this.#unfold();
    this.#last = this.#ofPage;
    Object.assign(this, { ran: this.source, differs: [] });
    this.#marks();
  }

  #restore() {
    const output = outputOf(this.element);
    if (this.replaced && this.published) output.replaceChildren(...this.published);
    else if (this.replaced) output?.remove();
    this.replaced = false;
  }

  /** It runs when what runs now is over, or does not any more: that is said below its text as long as it is so. */
  waits(next) {
    this.next = next;
    this.tell();
  }

  /** Below its text: what its last run did. */
  tell(...parts) {
    if (this.next) parts = ["Runs next."];
    handOn(this.told, this.runs, this.element);
    this.told?.remove();
    this.told = null;
    this.#toldOf = this.text;
    if (parts.length) this.#below(this.told = h("div", { className: "live-ran" }, ...parts));
  }

  /** What is told below it is of this text; the reader may have gone on meanwhile. */
  isToldOf(text) {
    this.#toldOf = text;
    this.#age();
  }

  #age() {
    this.told?.classList.toggle("live-old", !this.next && this.text !== this.#toldOf);
  }

  #parts() {
    return partsOf(outputOf(this.element));
  }

  #clear() {
    this.element.classList.remove("live-stale", "live-changed");
    this.#hush();
  }

  #hush() {
    for (const old of this.element.querySelectorAll(":scope > .live-beside, :scope > .live-note, :scope > .live-was")) old.remove();
    this.tell();
  }

  /** Its output is where its text is edited from now on; the reader's own text stays in sight. */
  fold() {
    const box = this.element.querySelector(".live-editor"), focused = box?.contains(document.activeElement);
    if (!box || box.closest(".live-folded")) return;
    const words = h("summary", {}, `The cell that made it, ${this.title}`);
    const folded = h("details", { className: "live-folded" }, words);
    folded.toggleAttribute("open", this.text !== this.source);
    keepFocus(() => {
      box.replaceWith(folded);
      folded.append(box);
    });
    if (focused && !folded.open) words.focus();
  }

  #unfold() {
    const folded = this.element.querySelector(".live-folded");
    if (folded) keepFocus(() => folded.replaceWith(folded.querySelector(".live-editor")));
  }
}
