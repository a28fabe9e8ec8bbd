// The controls of a playground, which controls.py draws as HTML: what the reader does with them is told to Python.
import { drawn, h, harmless, placeOf } from "./outputs.js";

const NEAREST = "[data-control], [data-gpusim-view]"; // a view in a playground has inputs of its own

/** What was said and drawn in the playground of this control is of the run before, until the next has ended. */
function asked(control) {
  control.closest(".live-row:has(.gpusim-editor)")?.classList.add("live-asked");
}

/** What stands in every playground is of its newest values. */
export function unasked() {
  for (const other of document.querySelectorAll(".live-asked")) other.classList.remove("live-asked");
}

/** `tell(control, value)` for each change that the reader makes; of what is typed, once it is written to its end. */
export function listen(tell) {
  for (const kind of ["input", "change"])
    document.addEventListener(kind, ({ target }) => {
      const control = target.closest?.(NEAREST);
      if (!control?.dataset.control || !target.matches("input, select") || (kind === "input") === /text|number/.test(target.type)) return;
      if (target.nextElementSibling?.matches("output")) target.nextElementSibling.textContent = target.value;
      if (tell(control.dataset.control, target.type === "checkbox" ? String(target.checked) : target.value) !== false) asked(control);
    });
}

/** What is wrong in the playground of this control, as it says there; none if all is well. */
export function alarmOf(control) {
  const playground = document.querySelector(`[data-control="${+control}"]`)?.closest(".live-row:has(.gpusim-editor)");
  return playground?.querySelector('[role="alert"]')?.textContent.trim().split("\n")[0] ?? "";
}

/** Python has ended: Run, of the cells that made controls, comes in sight. */
export function unfold() {
  for (const folded of document.querySelectorAll(".live-folded")) folded.toggleAttribute("open", true);
}

/** The Python that knew the controls has ended: another's have the same numbers. */
export function disown() {
  for (const control of document.querySelectorAll("[data-control]")) {
    for (const input of control.querySelectorAll("input, select")) input.disabled ||= input.closest(NEAREST) === control;
    delete control.dataset.control;
  }
}

/**
 * Texts that a cell shows become editors, with what the reader typed there before; whether there are any. `keep(cell)`
 * what is typed.
 */
export function editTexts(cell, tell, keep) {
  for (const old of cell.texts ?? []) old.destroy();
  const areas = [...cell.element.querySelectorAll(".gpusim-editor textarea")].filter((area) => area.closest("[data-control]"));
  cell.texts = areas.map((area, place) => {
    const name = cell.playground(place), text = cell.typed[name] ?? area.value;
    const told = (now) => tell(area.closest("[data-control]")?.dataset.control, now); // none after Stop
    const reset = h("button", { type: "button", onclick: () => editor.put(area.value) }, "Reset");
    const shown = () => (reset.hidden = cell.typed[name] === undefined);
    area.hidden = true;
    area.parentElement.className += " highlight"; // in the colours of the page
    const editor = gpusimEditor({
      parent: area.parentElement, text, label: area.ariaLabel, run: () => {}, keys: "It runs as you type. Escape, then Tab, leaves the editor.",
      changed: (now) => {
        cell.typed[name] = now === area.value ? undefined : now;
        keep(cell);
        shown();
        if (told(now) !== false) asked(area);
      },
    });
    area.parentElement.append(h("div", { className: "live-tools" }, reset));
    shown();
    if (text !== area.value) told(text);
    return { put: (now = area.value) => editor.put(now), destroy: () => editor.destroy() };
  });
  return areas.length > 0;
}

/**
 * Python says how controls look now: [number, HTML]. An editor stays, with what is being typed there: only what is said
 * below it is new.
 */
export function redraw(changes) {
  for (const [number, html] of changes) {
    const control = document.querySelector(`[data-control="${+number}"]`);
    if (!control) continue;
    const now = harmless(html, placeOf(control));
    if (!control.querySelector(":scope > .cm-editor")) control.replaceWith(now);
    else {
      control.querySelector(":scope > .live-refused")?.remove();
      control.append(...now.querySelectorAll(".live-refused"));
    }
  }
  drawn();
}
