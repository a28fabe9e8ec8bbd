// Cells of Python become editors, with what can be done with a cell.
import { h } from "./outputs.js";

const CPP = "%%cuda";

/** A cell of a page: its number, its name for the reader's changes, its published text, and where it stands. */
export class Cell {
  constructor(number, { name, place, source }) {
    Object.assign(this, { number, name, source, text: source });
    this.element = document.querySelector(`.live-cell-${place}`);
    this.input = this.element?.querySelector(".cell_input");
  }

  get title() {
    return `In[${this.number}]`;
  }

  get editable() {
    return Boolean(this.input) && !this.element.classList.contains("tag_puzzle-answer") && !this.source.startsWith(CPP);
  }

  /** `changed(cell)` after each change of its text, `run(cell)`, `share(cell)` when the reader asks. */
  edit({ changed, run, share }) {
    if (this.input && this.source.startsWith(CPP)) this.input.append(h("p", { className: "live-note" }, "CUDA C++ runs in JupyterLab; a browser cannot compile it."));
    if (!this.editable) return;
    const button = (words, onclick) => h("button", { type: "button", onclick }, words);
    const whileChanged = [button("Reset", () => this.put(this.source)), button("Copy a link to it", () => share(this))];
    const shown = () => whileChanged.forEach((each) => (each.hidden = this.text === this.source));
    const box = h("div", { className: "live-editor highlight" });
    this.input.hidden = true;
    this.input.before(box);
    this.editor = gpusimEditor({
      parent: box, text: this.text, label: `${this.title}, Python`, run: () => run(this),
      changed: (text) => {
        this.text = text;
        changed(this);
        shown();
      },
    });
    box.append(h("div", { className: "live-tools" }, button("Run", () => run(this)), ...whileChanged, h("span", { className: "live-title" }, this.title)));
    shown();
  }

  put(text) {
    this.text = text;
    this.editor?.put(text);
  }

  stale() {
    this.element?.classList.add("live-stale");
  }

  /** Its output is where its text is edited from now on. */
  fold() {
    const box = this.element.querySelector(".live-editor"), focused = box?.contains(document.activeElement);
    if (!box || box.closest(".live-folded")) return;
    const words = h("summary", {}, `The cell that made it, ${this.title}`), folded = h("details", { className: "live-folded" }, words);
    box.replaceWith(folded);
    folded.append(box);
    if (focused) words.focus();
  }
}
