// What waits for "Run here": cells with a change of the reader's, or of a link's, are named and marked before the page
// has editors.
import { cellOf, isAside } from "./edits.js";
import { handOn } from "./focus.js";
import { h } from "./outputs.js";
import { listed, toCell } from "./places.js";

export class Waiting {
  #marks = [];

  /** `places`: {name: [number, place]} of the cells that can be changed (build.py); `bring()` opens the page. */
  constructor(places, bring) {
    Object.assign(this, { places, bring });
  }

  /**
   * Mark the cells of these changes with `words`; which they are, as text and links, in order; none if there are none.
   */
  mark(changes, words) {
    const names = [...new Set(Object.keys(changes).filter((name) => !isAside(name)).map(cellOf))];
    const known = names.filter((name) => this.places[name]).map((name) => this.places[name]).sort(([one], [other]) => one - other);
    const cells = known.map(([number, place]) => ({ number, title: `In[${number}]`, element: document.querySelector(`.live-cell-${place}`) }));
    const here = cells.filter(({ element }) => element), gone = names.length - here.length;
    for (const { element } of here) {
      const mark = h("p", { className: "live-waits" }, `${words} `, h("button", { type: "button", onclick: this.bring }, "Bring it"));
      element.tabIndex = -1; // who pressed its button is there afterwards
      element.prepend(mark);
      this.#marks.push(mark);
    }
    const lost = `${gone > 1 ? `${gone} cells` : "a cell"} that this page does not have`;
    return listed([...here.map((cell) => toCell(cell)), ...(gone ? [lost] : [])]);
  }

  clear() {
    for (const mark of this.#marks.splice(0)) {
      handOn(mark, mark.parentElement);
      mark.remove();
    }
  }
}
