// The schedule explorer: what a launch came to under many schedules, and two of them step by step, side by side.
import { bars, capital, count, group, h, laneBar, lanesOf, maskStates, playback, ranges, select, sourceView, warpNames, widget } from "./controls.js";

const RECENT = 4; // steps in view
const OUTCOMES = 3; // outcomes in view; of more, those shown as A and B
const COLUMNS = [[2, 16], [5, 8], [10, 4], [Infinity, 2]]; // elements in a row, by the characters of the longest
const STRIP = "Lanes that run in every step";
const LEGEND = {
  c: "every lane of the warp runs this line",
  e: "some of its lanes run it",
  i: "first difference: a thread sees what it does not see on the other side",
  b: "the culprit: who made it different",
};

/** "lanes 0–3 run", or how many do, where a list would be long: the bar shows which. */
function inWords(lanes) {
  const listed = ranges(lanes);
  return lanes.length === 1 ? `lane ${listed} runs` : listed.length > 12 ? `${lanes.length} lanes run` : `lanes ${listed} run`;
}

/** Values of an array after so many steps; `last` holds what the last of them read and wrote. */
function contents({ name, initial }, steps) {
  const values = [...initial];
  for (const { writes } of steps) for (const [element, value] of writes[name] ?? []) values[element] = value;
  const last = steps.at(-1);
  return { values, read: new Set(last?.reads[name]), written: new Set(last?.writes[name]?.map(([element]) => element)) };
}

function memoryView(array, steps) {
  const held = [...array.initial, ...steps.flatMap(({ writes }) => (writes[array.name] ?? []).map(([, value]) => value))];
  const longest = Math.max(...held.map((value) => value.length));
  const columns = COLUMNS.find(([most]) => longest <= most)[1];
  const cells = array.initial.map((_, element) => h("span", { title: `${array.name}[${element}]` }));
  const rows = [];
  for (let first = 0; first < cells.length; first += columns) {
    rows.push(h("span", { class: "number" }, cells.length > columns ? `${first}` : ""), ...cells.slice(first, first + columns));
  }
  const grid = h("div", { class: "cells", role: "img", style: `--columns: ${columns}` }, ...rows);
  return {
    element: h("div", {}, h("p", { class: "subtitle" }, h("b", {}, array.name), `, ${array.space} memory`), grid),
    /** `culprit`: the element that the first difference is about. */
    show(steps, culprit) {
      const { values, read, written } = contents(array, steps);
      cells.forEach((cell, element) => {
        cell.textContent = values[element] || "\u00b7";
        cell.toggleAttribute("data-read", read.has(element));
        cell.toggleAttribute("data-written", written.has(element));
        cell.toggleAttribute("data-culprit", culprit === element);
      });
      const named = (elements) => (elements.size ? ranges([...elements].sort((a, b) => a - b)) : "none");
      grid.setAttribute("aria-label", `${array.name} holds ${values.map((value) => value || "nothing yet").join(", ")}; `
        + `elements read now: ${named(read)}; written now: ${named(written)}`);
    },
  };
}

/** One schedule: who runs, who ran before, and memory. */
function stage(report, first, changed) {
  let variant, chosen, memory, waits = 0;
  const side = "AB"[first];
  const names = warpNames(report);
  const event = h("p", { class: "event" });
  const found = h("p", { class: "so-far" });
  const recent = h("ol", { class: "recent" });
  const arrays = h("div", { class: "arrays" });
  const instructions = h("ol", { class: "instructions", "aria-label": `Instructions of this step of ${side}` });
  const choice = select(`Schedule ${side}`,
    report.variants.map(({ label, outcome }) => `${label}: outcome ${outcome + 1}`), (index) => (choose(index), changed()));
  choice.lastChild.selectedIndex = first;

  function choose(index) {
    variant = report.variants[chosen = index];
    memory = variant.memory.map((array) => memoryView(array, variant.steps));
    arrays.replaceChildren(...memory.map((view) => view.element));
  }
  const lanesAt = (step) => lanesOf(maskStates(step.mask, report.lanes, "c"), "c");
  const lineOf = (step) => report.parts[step.part].line;
  const state = (step) => (lanesAt(step).length === report.warps[step.warp].threads ? "c" : "e");
  const who = (step) => (names.length > 1 ? `${names[step.warp]}, ` : "");
  const ending = () => (variant.cut ? `The first ${variant.steps.length} steps are shown` : "Finished")
    + `: outcome ${variant.outcome + 1}`;
  function sentence(step) {
    if (step < 0) return "Not yet begun.";
    if (step >= variant.steps.length) return `${ending()}.`;
    const now = variant.steps[step];
    return capital(`${who(now)}${inWords(lanesAt(now))} line ${lineOf(now)}.`);
  }

  /** What the first difference has to do with a step of this side. */
  function remark(step, { thread, step: at, says, cause, late }) {
    if (step < 0 && waits) return `Shifted by ${count(waits, "step")}, so that the first difference of both stands in one column.`;
    if (step === at) return `First difference: ${thread} ${says}${cause ? `, ${cause.says}` : ""}.`;
    const place = (cause?.place ?? []).length ? `${cause.place[0]}[${cause.place[1]}]` : "";
    if (place && step === cause.step) return `Here ${place} gets the value that ${thread} reads in step ${at + 1}.`;
    return place && step === late && late > at ? `Too late for ${thread}: it read ${place} in step ${at + 1}.` : "";
  }

  choose(first);
  return {
    element: h("div", { class: "stage" },
      h("div", { class: "choices" }, h("b", { class: "side" }, side), choice),
      h("div", { class: "words" }, event, found),
      h("div", { class: "order" }, recent, arrays)),
    instructions,
    variant: () => variant,
    chosen: () => chosen,
    length: () => variant.steps.length,
    wait: (steps) => (waits = steps),
    sentence,
    position: (step) => `${side} ${Math.max(0, Math.min(step + 1, variant.steps.length))} of ${variant.steps.length}`,
    /** Shows a step; those below 0 are before the first. `seen` is what the first difference is here. */
    show(step, seen, revealed) {
      const { steps } = variant;
      const now = Math.max(-1, Math.min(step, steps.length - 1));
      const so_far = steps.slice(0, now + 1);
      const begin = Math.max(0, now - RECENT + 1);
      const culprits = revealed ? seen.culprits : [];
      event.textContent = sentence(step);
      found.textContent = remark(step, seen);
      recent.replaceChildren(...so_far.slice(begin).map((each, index) => h("li",
        { "data-current": begin + index === now && "", "data-parts": begin + index === seen.step && "",
          "data-culprit": culprits.includes(begin + index) && "" },
        h("span", { class: "number" }, `${begin + index + 1}`), h("span", {}, `${names.length > 1 ? `warp ${each.warp}, ` : ""}line ${lineOf(each)}`),
        laneBar(maskStates(each.mask, report.lanes, state(each))))));
      const [array, element] = (culprits.includes(now) || (revealed && now === seen.step)) && seen.cause?.place || [];
      memory.forEach((view, index) => view.show(so_far, variant.memory[index].name === array ? element : -1));
      const texts = so_far.length ? report.parts[so_far.at(-1).part].instructions : [];
      instructions.replaceChildren(...texts.map((text) => h("li", {}, text)));
    },
    standing(step) {
      const now = variant.steps[step];
      if (!now) return { line: -1, marks: [] };
      const run = lanesAt(now).length;
      return { line: lineOf(now), marks: [[lineOf(now), state(now), `${run}`, `${count(run, "lane")} run this line`]] };
    },
    /** Active lanes of every step, after those in which this side waits; what the first difference is about stands out. */
    bars: (steps, seen, revealed) => bars([...Array(waits).fill([0, "c"]), ...variant.steps.map((each, step) =>
      (step === seen.step ? [report.lanes, "i"] : revealed && seen.culprits.includes(step) ? [report.lanes, "b"] : [lanesAt(each).length, state(each)]))],
    steps, report.lanes),
  };
}

/** A value, with the digits marked in which its bits are not the usual ones. */
function digits(value, usual) {
  if (!value.startsWith("0x") || value.length !== usual.length) return [value];
  return [...value].map((digit, place) => (digit === usual[place] ? digit : h("mark", {}, digit)));
}

/** What an outcome left: all of it, however many elements are not as usual. */
function description({ description: text, differences }) {
  const each = differences.flatMap(({ argument, elements, here, there }) => elements.map((element, place) =>
    h("span", {}, `${argument}${element.length ? `[${element.join(", ")}]` : ""}: `, ...digits(here[place], there[place]), `, not ${there[place]}`)));
  if (!each.length) return h("span", { class: "what" }, text);
  const listed = (of) => of.flatMap((one, place) => (place ? ["; ", one] : [one]));
  if (each.length <= OUTCOMES) return h("span", { class: "what" }, ...listed(each));
  return h("details", { class: "what" }, h("summary", {}, ...listed(each.slice(0, OUTCOMES)), `; and ${each.length - OUTCOMES} more`),
    ...listed(each.slice(OUTCOMES)));
}

/** How often each outcome came: a bar, what it was, and which sides show it. */
function outcomeList({ outcomes, schedules }) {
  const badges = outcomes.map(() => h("span", { class: "badges" }));
  const rows = outcomes.map((outcome, index) => h("li", {},
    h("span", {}, `outcome ${index + 1}`), badges[index],
    h("span", { class: "share", "aria-hidden": "true" },
      h("span", { "data-error": outcome.error && "", style: `width: ${(100 * outcome.count) / schedules}%` })),
    h("span", { class: "count" }, `${outcome.count} ×`), description(outcome)));
  const list = (name) => h("ol", { class: "outcomes", "aria-label": name });
  const shown = list(`Outcomes of ${schedules} schedules`), others = list("Other outcomes");
  const more = h("details", { class: "more" }, h("summary", {}), others);
  return {
    element: h("div", {}, shown, more),
    mark(sides) {
      badges.forEach((badge, index) => badge.replaceChildren(...sides.flatMap(({ outcome }, side) =>
        (outcome === index ? [h("b", { class: "side", title: `Shown as ${"AB"[side]}` }, "AB"[side])] : []))));
      const first = (index) => rows.length <= OUTCOMES || sides.some(({ outcome }) => outcome === index);
      shown.replaceChildren(...rows.filter((_, index) => first(index)));
      others.replaceChildren(...rows.filter((_, index) => !first(index)));
      more.hidden = !others.children.length;
      more.firstChild.textContent = `${count(others.children.length, "other outcome")}`;
    },
  };
}

const NOTHING = { step: -1, culprits: [] };

function draw(report) {
  let seen = [], culprit, why, meeting = -1, revealed = false, total = 1;
  const { exploration } = report;
  const source = sourceView(report.source);
  const stages = report.variants.slice(0, 2).map((_, index) => stage(report, index, relay));
  const late = () => stages.map((each, side) => (meeting < 0 ? 0 : meeting - seen[side].step));
  const outcomes = outcomeList(exploration);
  const player = playback({
    title: STRIP,
    show(step) {
      if (step === meeting && !revealed) reveal();
      const steps = late().map((wait) => step - wait);
      stages.forEach((each, side) => each.show(steps[side], seen[side], revealed));
      source.mark(stages.map((each, side) => each.standing(steps[side])));
      player.element.querySelector(".counter").textContent = stages.map((each, side) => each.position(steps[side])).join(" · ");
    },
    hold: (step) => (step === meeting ? 3 : 1),
    describe: (step) => `step ${step + 1}: ` + stages.map((each, side) => each.sentence(step - late()[side])).join(" Compared with: "),
  });
  const go = (side, step) => (player.stop(), player.go(late()[side] + step));
  const jump = h("button", { type: "button", class: "jump", onclick: () => go(0, seen[0].step) }, "Go to the first difference");
  const blame = h("button", { type: "button", class: "jump", onclick: () => go(culprit.side, culprit.step) }, "Go to the culprit");
  const none = h("span", { class: "subtitle" }, "No thread saw anything different.");
  const reason = h("p", { class: "reason", role: "status" });

  /** What the first difference of the two schedules shown is on each side, and who made it. */
  function part() {
    const [a, b] = stages.map((each) => each.chosen());
    const of = a !== b && report.differences.find(({ pair }) => pair[0] === Math.min(a, b) && pair[1] === Math.max(a, b));
    if (!of) return [seen, why, culprit] = [stages.map(() => NOTHING), null, null];
    const place = a < b ? [0, 1] : [1, 0], blamed = place.indexOf(1); // `why` is about the second of the pair
    const causes = of.causes ?? [null, null];
    why = of.why && `In ${"AB"[blamed]}, ${of.why.says}.`;
    seen = place.map((which, side) => ({ thread: of.thread, step: of.steps[which], says: [of.here, of.there][which], cause: causes[which],
      late: side === blamed ? of.why?.step : null,
      culprits: [causes[which]?.step, side === blamed ? of.why?.step : null].filter((step) => step != null) }));
    const side = [blamed, 1 - blamed].find((each) => seen[each].culprits.length);
    culprit = side == null ? null : { side, step: (side === blamed && of.why?.step) ?? seen[side].culprits[0] };
  }
  function reveal() {
    revealed = true;
    reason.textContent = why ?? "";
    blame.hidden = !culprit;
    strip();
  }
  const strip = () => player.strip.replaceChildren(...stages.map((each, side) => each.bars(total, seen[side], revealed)));
  function relay() {
    part();
    // Both sides reach the first difference at the same moment: the quicker one begins later.
    meeting = Math.max(...seen.map(({ step }) => step));
    revealed = false;
    const waits = late();
    stages.forEach((each, side) => each.wait(waits[side]));
    total = Math.max(...stages.map((each, side) => waits[side] + each.length()));
    player.name.textContent = STRIP + (stages.length > 1 ? ": A above, B below" : "")
      + (Math.max(...waits) ? "; shifted so that the first difference stands in one column" : "");
    outcomes.mark(stages.map((each) => each.variant()));
    jump.hidden = meeting < 0;
    none.hidden = meeting >= 0 || stages.length < 2;
    reason.textContent = "";
    blame.hidden = true;
    strip();
    player.resize(total);
  }
  const found = exploration.outcomes.length;
  const root = group(`Schedule explorer: ${report.title}`, "schedule-explorer comparing", player.keydown,
    h("div", { class: "heading" }, h("b", {}, report.title),
      h("span", { class: "subtitle" }, `${count(exploration.schedules, "schedule")}, ${count(found, "outcome")}, ${exploration.device} (${exploration.scheduling})`)),
    h("div", { class: "sources" }, source.element, outcomes.element),
    h("div", { class: "parting" }, jump, blame, none, reason),
    h("div", { class: "stages" }, ...stages.map((each) => each.element)),
    player.element,
    h("details", { class: "more" }, h("summary", {}, "Instructions of this step, and what the colours mean"),
      h("div", { class: "listings" }, ...stages.map((each) => each.instructions)),
      h("ul", { class: "legend", "aria-label": "Legend" }, ...Object.entries(LEGEND).map(([state, meaning]) =>
        h("li", {}, h("span", { class: "lane", "data-state": state, "aria-hidden": "true" }), meaning)),
      ...["read", "written"].map((kind) =>
        h("li", {}, h("span", { class: "cells sample", "aria-hidden": "true" }, h("span", { [`data-${kind}`]: "" }, "5")), `${kind} in this step`)),
      h("li", {}, "Lane 0 is at the left of a bar, and the lowest bit, at the right, of a mask in hexadecimal."))));
  relay();
  return { element: root, stop: player.stop };
}

export default widget(draw);
