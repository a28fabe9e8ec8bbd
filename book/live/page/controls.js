// The controls of a playground, which controls.py draws as HTML: what the reader does with them is told to Python.
import { drawn, harmless } from "./outputs.js";

/** `tell(control, value)` for each change that the reader makes; of what is typed, once it is written to its end. */
export function listen(tell) {
  for (const kind of ["input", "change"])
    document.addEventListener(kind, ({ target }) => {
      const control = target.closest?.("[data-control]");
      if (!control || !target.matches("input, select") || (kind === "input") === /text|number/.test(target.type)) return;
      if (target.nextElementSibling?.matches("output")) target.nextElementSibling.textContent = target.value;
      tell(+control.dataset.control, target.type === "checkbox" ? String(target.checked) : target.value);
    });
}

/** Texts within become editors; whether there are any. */
export function editTexts(within, tell) {
  const areas = [...within.querySelectorAll(".gpusim-editor textarea")];
  for (const area of areas) {
    const control = +area.closest("[data-control]").dataset.control;
    area.hidden = true;
    gpusimEditor({ parent: area.parentElement, text: area.value, label: area.ariaLabel, changed: (text) => tell(control, text), run: () => {} });
  }
  return areas.length > 0;
}

/** Python says how controls look now: [number, HTML]. */
export function redraw(changes) {
  for (const [number, html] of changes) document.querySelector(`[data-control="${+number}"]`)?.replaceWith(harmless(html));
  drawn();
}
