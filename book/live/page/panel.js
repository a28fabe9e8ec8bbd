// The bar below the title: "Run here", "Stop", "Reset all", and what is said. Below it come changes that fit no cell of
// this edition.
import { handOn } from "./focus.js";
import { h } from "./outputs.js";

const MOST_APART = 50; // texts that are shown
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

export class Panel {
  #from = null; // where the keyboard was before it came to the bar

  /** `size`: bytes that are loaded; `start`, `stop` and `reset` are called for the buttons. */
  constructor({ size, licences, start, stop, reset }) {
    this.size = size;
    this.said = h("span", { className: "live-said" });
    this.said.setAttribute("role", "status");
    this.bar = h("progress", { max: 1, value: 0 });
    this.bar.setAttribute("aria-label", "How much of Python is loaded");
    this.come = h("span", { className: "live-come", hidden: true }, this.bar, (this.bytes = h("span", {})));
    this.start = h("button", { type: "button", className: "live-start", onclick: start }, "Run here");
    this.stop = h("button", { type: "button", hidden: true, onclick: stop }, "Stop");
    this.reset = h("button", { type: "button", className: "live-reset", hidden: true, onclick: reset });
    const terms = h("a", { href: licences }, "What is loaded, and under which licences");
    this.terms = h("p", { className: "live-terms" }, terms);
    this.element = h("div", { className: "live-bar", tabIndex: -1 }, this.start, this.stop, this.come, this.said, this.reset);
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", "Run the cells of this page");
    this.element.addEventListener("focusin", ({ relatedTarget }) => {
      if (!this.element.contains(relatedTarget)) this.#from = relatedTarget;
    });
  }

  /** `stays`: a playground that runs does not speak in its place; `passes`: it goes when the reader goes on. */
  say(words, { stays = false, passes = false } = {}) {
    Object.assign(this, { stays, passes });
    this.said.textContent = words;
  }

  /** The reader goes on: what was said of what came before is old. */
  goesOn() {
    if (this.passes) this.say("");
  }

  /** What went wrong, and what `more` comes of it. What nobody foresaw is for the console, too. */
  failed(error, more = "") {
    const foreseen = error.constructor === Error;
    if (!foreseen) console.error(error);
    this.say(`${foreseen ? error.message : `This page broke: ${error}. Your changes stay: reload the page.`}${more}`);
  }

  /** `parts`: text and links that are to be said before. */
  invite(parts) {
    const offer = "Change this page's kernels and run them, in your browser, which keeps your changes.";
    this.said.replaceChildren(...parts, `${offer} Loads ${megabytes(this.size)}, once.`);
  }

  /** So many cells have changes of the reader's; `undo`: what was reset can be brought back. */
  changes(count, undo) {
    this.reset.hidden = !count && !undo;
    this.reset.textContent = undo ? "Undo" : `Reset all (${count})`;
  }

  /** The page has editors now. */
  on() {
    handOn(this.start, this.element);
    this.start.hidden = true;
    this.element.classList.add("live-on");
  }

  /** It can begin once more. */
  off() {
    this.start.hidden = false;
    this.element.classList.remove("live-on");
  }

  working(works) {
    if (!works) handOn(this.stop, this.#from, this.element);
    this.stop.hidden = !works;
    document.body?.classList.toggle("live-working", works);
    if (!works) this.come.hidden = true;
  }

  /** Only its beginning and its end are said, which a screen reader reads aloud; neither in the place of what stays. */
  loading(bytes) {
    const ends = bytes >= this.size;
    if ((this.come.hidden || ends) && !this.stays) this.say(ends ? "Starting Python …" : "Loading Python …");
    this.come.hidden = false;
    this.bar.value = bytes / this.size;
    this.bytes.textContent = ` ${megabytes(bytes)} of ${megabytes(this.size)}`;
  }
}

/**
 * Changes without a cell: their texts, to copy or to forget. `apart`: {name: text}; `forget(name)`; `about(name)`: of
 * which cell, and of when.
 */
export function showApart(apart, panel, forget, about) {
  const entries = Object.entries(apart), before = document.querySelector(".live-apart"), of = JSON.stringify(entries);
  if (before?.of === of) return; // it may be being read
  before?.remove();
  if (!entries.length) return;
  const summary = h("summary", {}, `Changes that are not in the page: ${entries.length}`);
  const box = h("details", { className: "live-apart", of }, summary);
  box.toggleAttribute("open", before?.open ?? false);
  box.append(h("p", {}, "Their cells have another text in this edition of the page, or are gone, or a link or another tab brought another change of them. They are kept in this browser."));
  for (const [name, text] of entries.slice(0, MOST_APART)) {
    const copy = async () => {
      const copied = await navigator.clipboard.writeText(text).then(() => true, () => false);
      panel.say(copied ? "The text is copied." : "The browser does not copy: select the text, and copy it.");
    };
    const gone = () => (forget(name), document.querySelector(".live-apart summary")?.focus());
    const button = (words, onclick) => h("button", { type: "button", onclick }, words);
    const tools = h("div", { className: "live-tools" }, button("Copy", copy), button("Forget", gone));
    const code = h("pre", { className: "live-text", tabIndex: 0 }, text);
    box.append(h("div", { className: "live-kept" }, h("p", { className: "live-about" }, about(name)), code, tools));
  }
  if (entries.length > MOST_APART) box.append(h("p", {}, `… and ${entries.length - MOST_APART} more: forget some of these, and they are shown.`));
  panel.terms.after(box);
}
