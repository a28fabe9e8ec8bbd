// A prediction: the reader answers, and then the page goes on. What is hidden until then has data-revealed-by.
import { capital, count, group, h, maskStates, widget } from "./controls.js";

const ORDINALS = ["", "", " at the second try", " at the third try"];
const known = new Set(); // ids of the predictions on this page whose answer the reader has
const SELECTOR = '[data-gpusim-view="prediction"]';

/** Text, with what stands between backticks as code. */
const rich = (text) => text.split("`").map((part, index) => (index % 2 ? h("code", {}, part) : part));

/** "2,133 cycles", "6,25" and "0x1f" are numbers; what is none is NaN. */
function numberIn(text) {
  const [, digits] = /^\s*([-+−]?(?:0x[\da-f]+|[\d.,]+(?:e[-+]?\d+)?))[^\d]*$/i.exec(text) ?? [];
  return digits ? Number(digits.replace("−", "-").replace(/,(?=\d{3}(?!\d))/g, "").replace(",", ".")) : NaN;
}

/** What is said to the first of these words or answers that a reply is for. */
const replyTo = ({ wrong = [] }, ...given) =>
  given.map((each) => wrong.find(([answers]) => answers.includes(each))).find(Boolean)?.[1];

// Each kind gives an element, what Python gets as the value, and what is stored of it; `judge` says whether the
// answer is right and what to say, or what is missing; `settle` shows the right answer, or gives the inputs back.

function numbers({ title, asked }) {
  const one = asked.length === 1;
  const boxes = asked.map(({ label = "" }) => h("input", { type: "text", inputmode: "decimal", autocomplete: "off", size: 9, "aria-label": label || title.replaceAll("`", "") }));
  const given = () => boxes.map((box) => numberIn(box.value));
  const mark = (box, verdict) => {
    box.dataset.verdict = verdict;
    box.setAttribute("aria-invalid", verdict === "wrong");
  };
  const good = (part, value) => Math.abs(value - part.answer) <= (part.tolerance ?? 0);
  return {
    element: h("span", { class: "fields" }, ...boxes.map((box, index) =>
      h("label", {}, asked[index].label && h("span", {}, asked[index].label), box, asked[index].unit && h("span", {}, asked[index].unit)))),
    stored: () => boxes.map((box) => box.value),
    restore: (texts) => boxes.forEach((box, index) => (box.value = texts?.[index] ?? "")),
    value: () => (asked[0].label ? Object.fromEntries(asked.map(({ label }, index) => [label, given()[index]])) : given()[0]),
    judge() {
      const values = given();
      if (values.some(Number.isNaN)) return { missing: one ? "Type a number." : "Type a number into each field." };
      const right = asked.map((part, index) => good(part, values[index]));
      const said = asked.flatMap((part, index) => {
        if (right[index]) return [];
        const way = values[index] < part.answer ? "less" : "more";
        const name = part.label ? `${part.label}: ` : "";
        const reply = replyTo(part, values[index], way, "else") ?? `${boxes[index].value.trim()} is too ${way === "less" ? "small" : "large"}.`;
        return [name + reply];
      });
      boxes.forEach((box, index) => mark(box, right[index] ? "right" : "wrong"));
      return { right: right.every(Boolean), part: one ? "" : `${right.filter(Boolean).length} of ${asked.length} right`, said };
    },
    settle: (over) => boxes.forEach((box, index) => {
      box.readOnly = over;
      mark(box, "");
      if (over && asked[index].answer != null) {
        if (!good(asked[index], numberIn(box.value))) box.value = asked[index].answer.toLocaleString("en");
        mark(box, "right");
      }
    }),
  };
}

let choices = 0; // radio buttons go together by their name

function choice({ title, choices: texts, asked: [part] }) {
  const name = `gpusim-choice-${choices++}`;
  const boxes = texts.map((text) => h("input", { type: "radio", name, value: text }));
  const chosen = () => boxes.find((box) => box.checked)?.value;
  return {
    element: h("fieldset", { class: "options" }, h("legend", { class: "spoken" }, title.replaceAll("`", "")),
      ...boxes.map((box) => h("label", {}, box, h("span", {}, ...rich(box.value))))),
    stored: chosen,
    restore: (text) => boxes.forEach((box) => (box.checked = box.value === text)),
    value: chosen,
    judge() {
      const text = chosen();
      if (text == null) return { missing: "Choose one." };
      return { right: text === part.answer, said: [replyTo(part, text, "else") ?? "That is not what happens."] };
    },
    settle: (over) => boxes.forEach((box) => {
      const right = over && box.value === part.answer;
      if (right) box.checked = true;
      box.disabled = over && part.answer != null && !right;
      box.parentNode.toggleAttribute("data-right", right);
    }),
  };
}

const digits = (on) => Array.from({ length: on.length / 4 }, (_, place) =>
  on.slice(4 * place, 4 * place + 4).reduce((sum, bit, lane) => sum + (bit << lane), 0).toString(16));

function lanes({ kind, lanes: width, asked: [part] }) {
  let on = Array(width).fill(false), painting = null, over = false;
  const right = part.answer && [...maskStates(part.answer, width, "c")].map((state) => state === "c");
  const cells = on.map((_, lane) => h("button", { type: "button", class: "lane", tabindex: lane ? -1 : 0, "aria-label": `lane ${lane}` }, `${lane}`));
  const places = Array.from({ length: width / 4 }, () => h("b", { "aria-hidden": "true" }));
  const typed = h("input", { type: "text", size: width / 4 + 2, autocomplete: "off", spellcheck: "false", "aria-label": "Mask in hexadecimal", onchange: () => {
    const bits = /^\s*(?:0x)?([\da-f_ ]+)$/i.exec(typed.value)?.[1].replace(/[_ ]/g, "").slice(-width / 4);
    if (bits && !over) on = [...maskStates(bits, width, "c")].map((state) => state === "c");
    show();
  } });
  const all = h("button", { type: "button", class: "plain", onclick: () => (on = Array(width).fill(!on.every(Boolean)), show()) });

  function show() {
    cells.forEach((cell, lane) => {
      cell.dataset.state = on[lane] ? "c" : "s";
      cell.setAttribute("aria-pressed", on[lane]);
      cell.setAttribute("aria-disabled", over);
    });
    digits(on).forEach((digit, place) => (places[place].textContent = digit));
    typed.value = `0x${digits(on).reverse().join("")}`;
    typed.readOnly = over;
    all.textContent = on.every(Boolean) ? "none of them" : "all of them";
    all.hidden = over;
  }
  function put(lane, state) {
    if (over || lane < 0) return;
    on[lane] = state;
    show();
  }
  function go(lane) {
    cells.forEach((cell, index) => (cell.tabIndex = index === lane ? 0 : -1));
    cells[lane].focus();
  }
  const laneAt = (target) => cells.indexOf(target.closest?.(".lane"));
  const strip = h("div", { class: "nibbles", role: "group", "aria-label": `${width} lanes; arrow keys move, space switches`,
    onclick: ({ target, detail }) => detail || put(laneAt(target), !on[laneAt(target)]), // by key, or by a screen reader
    onpointerdown: ({ target, button, pointerId }) => {
      const lane = laneAt(target);
      if (lane < 0 || button) return;
      if (target.hasPointerCapture?.(pointerId)) target.releasePointerCapture(pointerId);
      painting = !on[lane];
      put(lane, painting);
      go(lane);
    },
    onpointerover: ({ target, buttons }) => painting != null && (buttons & 1 ? put(laneAt(target), painting) : (painting = null)),
    onpointerup: () => (painting = null),
    onkeydown: (event) => {
      const across = cells.filter(({ offsetTop }) => offsetTop === cells[0].offsetTop).length;
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across }[event.key], from = laneAt(event.target);
      if (!step || from < 0) return;
      event.preventDefault();
      if (cells[from + step]) go(from + step);
    } },
  ...places.map((place, index) => h("span", { class: "nibble" }, ...cells.slice(4 * index, 4 * index + 4), kind === "mask" ? place : null)));
  show();
  return {
    element: h("div", {}, strip, h("p", { class: "subtitle" }, all, ...(kind === "mask"
      ? [h("label", {}, "mask ", typed), " A digit stands for four lanes, the first for the highest: hex is written from lane ",
        `${width - 1} down to lane 0.`] : []))),
    stored: () => digits(on).reverse().join(""),
    restore: (bits) => (on = bits ? [...maskStates(bits, width, "c")].map((state) => state === "c") : Array(width).fill(false), show()),
    value: () => (kind === "mask" ? typed.value : on.flatMap((is, lane) => (is ? [lane] : []))),
    judge() {
      if (!right) return {};
      const missing = right.filter((is, lane) => is && !on[lane]).length;
      const extra = right.filter((is, lane) => !is && on[lane]).length;
      const way = !extra ? "less" : !missing ? "more" : "else";
      const found = [missing && `${count(missing, "lane")} missing`, extra && `${extra} too many`].filter(Boolean).join(", ");
      return { right: !found, part: `${width - missing - extra} of ${width} lanes right: ${found}`,
        said: [replyTo(part, this.stored(), way, "else")].filter(Boolean) };
    },
    settle(end) {
      over = end;
      if (over && right) on = [...right];
      show();
    },
  };
}

const KINDS = { numbers, choice, lanes, mask: lanes };

function draw(report, model) {
  const { id, title, kind, asked, solution, why = "", why_of: of = "" } = report;
  const [page] = id.split(":"); // a live page asks with a reader's kernel under an id of its own, "warps:2": it opens, too, and hides nothing
  const open = asked[0].answer == null; // nobody knows the answer yet
  const inputs = KINDS[kind](report);
  const key = `gpusim prediction ${location.pathname} ${id}`;
  const reasons = () => (of && why ? [h("span", { class: "of-another" }, `Said of ${of}: `, ...rich(why))] : rich(why));
  let state = { tries: 0, end: "" }; // end: "right", "shown", "noted"

  const place = h("p", { class: "subtitle" }, "Predict");
  const said = h("div", { class: "said", role: "status", tabindex: -1 });
  const check = h("button", { class: "check" }, open ? "Keep" : "Check");
  const reveal = h("button", { type: "button", class: "plain", onclick: () => end("shown") }, "show me");
  const or = h("span", {}, "or ", reveal);
  const forget = h("button", { type: "button", class: "plain", onclick: () => {
    state = { tries: 0, end: "" };
    inputs.restore();
    store();
    show();
    element.querySelector("input, .lane").focus();
  } });

  function store() {
    try {
      if (state.tries || state.end) localStorage.setItem(key, JSON.stringify({ ...state, given: inputs.stored() }));
      else localStorage.removeItem(key);
    } catch { /* a page may be refused a memory; it works without one */ }
    model.set("value", state.tries ? inputs.value() : null);
    model.save_changes();
  }
  function end(how) {
    state.end = how;
    store();
    show();
    said.focus({ preventScroll: true });
  }
  function tell(verdict, lead, ...sentences) {
    said.dataset.verdict = verdict;
    said.replaceChildren(...(lead ? [h("b", {}, ...rich(lead)), " "] : []), ...sentences.filter(Boolean).flatMap((said) => [...(Array.isArray(said) ? said : rich(said)), " "]));
  }
  function answered() {
    const verdict = inputs.judge();
    if (verdict.missing) return tell("missing", "", verdict.missing);
    state.tries++;
    if (open || verdict.right) return end(open ? "noted" : "right");
    store();
    show();
  }
  function show() {
    const { tries, end: how } = state, over = how !== "";
    inputs.settle(over);
    check.hidden = over;
    or.hidden = over || open;
    forget.hidden = !over && !tries;
    forget.textContent = tries ? "forget my answer" : "ask me again";
    const tried = ORDINALS[tries] ?? ` at try ${tries}`;
    if (how === "noted") tell("right", "Noted.", reasons());
    else if (how === "right") tell("right", `✓ Right${tried}: ${solution}.`, reasons());
    else if (how === "shown") tell("shown", solution ? `${asked[0].label ? solution : capital(solution)}.` : "", reasons()); // a label may be a name
    else if (tries) {
      const { part, said: sentences = [] } = inputs.judge();
      tell("wrong", part ? `${part}.` : "", ...sentences, "Try again, or let the page show you.");
    } else tell("", "");
    if (over) known.add(page);
    else if (page === id) known.delete(id);
    for (const hidden of parts()) hidden.toggleAttribute("data-open", hidden.dataset.revealedBy.split(" ").every((each) => known.has(each)));
  }
  const parts = () => document.querySelectorAll(`[data-revealed-by~="${page}"]`);

  /** A link to a place that is hidden opens it. */
  function follow() {
    const target = document.getElementById(location.hash.slice(1));
    for (const hidden of parts()) {
      if (!target || !hidden.contains(target) || "open" in hidden.dataset) continue;
      hidden.dataset.open = "";
      target.scrollIntoView();
    }
  }
  const number = () => {
    const all = [...document.querySelectorAll(SELECTOR)], index = all.indexOf(element.closest(SELECTOR));
    if (index >= 0) place.textContent = `Predict · ${index + 1} of ${all.length}`;
  };

  // JupyterLab would take Enter for itself.
  const element = group(`Prediction: ${title.replaceAll("`", "")}`, "prediction", (event) => event.stopPropagation(),
    place, h("p", { class: "heading" }, h("b", {}, ...rich(title))),
    h("form", { onsubmit: (event) => (event.preventDefault(), answered()) }, inputs.element,
      h("span", { class: "deeds" }, check, or, forget)),
    said, solution && h("p", { class: "printed" }, h("b", {}, ...rich(`Answer: ${solution}.`)), " ", ...reasons()));
  element.dataset.prediction = id;
  try {
    const { given, ...before } = JSON.parse(localStorage.getItem(key)) ?? {};
    if (before.tries || before.end) {
      inputs.restore(given);
      state = before;
      if (state.end === "right" && !inputs.judge().right) state.end = ""; // the course has changed since
      if (state.tries) model.set("value", inputs.value()), model.save_changes();
    }
  } catch { /* nothing is remembered */ }
  show();
  queueMicrotask(() => (number(), follow()));
  addEventListener("hashchange", follow);
  return { element, stop: () => removeEventListener("hashchange", follow) };
}

export default widget(draw);
