// Cells of Python become editors, with what can be done with a cell.
import { h } from "./outputs.js";

const CPP = "%%cuda", BY_CPP = "CUDA C++ runs in JupyterLab; a browser cannot compile it.";
const OF_CPP = "This cell needs one of CUDA C++, which a browser cannot compile: both run in JupyterLab, and here it stays as it was.";

/** A cell of a page: its number, its name for the reader's changes, its published text, where it stands, and whether it runs elsewhere only or has an editor. */
export class Cell {
  constructor(number, { name, place, source, elsewhere, editor }) {
    Object.assign(this, { number, name, source, elsewhere, text: source });
    this.element = document.querySelector(`.live-cell-${place}`);
    this.input = this.element?.querySelector(".cell_input");
    this.editable = editor && Boolean(this.input);
  }

  get title() {
    return `In[${this.number}]`;
  }

  /** `changed(cell)` after each change of its text, `run(cell)`, `share(cell)` when the reader asks. */
  edit({ changed, run, share }) {
    const apart = this.input ?? this.element?.querySelector(".cell_output");
    if (this.elsewhere) apart?.append(h("p", { className: "live-note" }, this.source.startsWith(CPP) ? BY_CPP : OF_CPP));
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
