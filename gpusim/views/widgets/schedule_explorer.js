// The schedule explorer: what a launch came to under many schedules, and two of them step by step, side by side.
import { bars, capital, group, h, laneBar, lanesOf, maskStates, playback, ranges, select, sourceView, warpNames, widget } from "./controls.js";

const RECENT = 6; // steps in view
const OUTCOMES = 6; // outcomes in view
const LISTED = 5; // instructions in view
const ROW = 8; // elements of an array in a row
const LONG = 5; // characters of a value that fit that row
const STRIP = "Lanes that run in every step; first difference marked";
const LEGEND = {
  c: "every lane of the warp runs this line",
  e: "some of its lanes run it",
  i: "first difference: a thread sees what it does not see on the other side",
};

const inWords = (lanes) => (lanes.length === 1 ? `lane ${lanes[0]} runs` : `lanes ${ranges(lanes)} run`);

/** Values of an array after so many steps; `last` holds what the last of them read and wrote. */
function contents({ name, initial }, steps) {
  const values = [...initial];
  for (const { writes } of steps) for (const [element, value] of writes[name] ?? []) values[element] = value;
  const last = steps.at(-1);
  return { values, read: new Set(last?.reads[name]), written: new Set(last?.writes[name]?.map(([element]) => element)) };
}

function memoryView(array, steps) {
  const held = [...array.initial, ...steps.flatMap(({ writes }) => (writes[array.name] ?? []).map(([, value]) => value))];
  const columns = held.some((value) => value.length > LONG) ? ROW / 4 : ROW;
  const cells = array.initial.map((_, element) => h("span", { title: `${array.name}[${element}]` }));
  const rows = [];
  for (let first = 0; first < cells.length; first += columns) {
    rows.push(h("span", { class: "number" }, cells.length > columns ? `${first}` : ""), ...cells.slice(first, first + columns));
  }
  const grid = h("div", { class: "cells", role: "img", style: `--columns: ${columns}` }, ...rows);
  return {
    element: h("div", {}, h("p", { class: "subtitle" }, h("b", {}, array.name), `, ${array.space} memory`), grid),
    show(steps) {
      const { values, read, written } = contents(array, steps);
      cells.forEach((cell, element) => {
        cell.textContent = values[element] || "\u00b7";
        cell.toggleAttribute("data-read", read.has(element));
        cell.toggleAttribute("data-written", written.has(element));
      });
      const named = (elements) => (elements.size ? ranges([...elements].sort((a, b) => a - b)) : "none");
      grid.setAttribute("aria-label", `${array.name} holds ${values.map((value) => value || "nothing yet").join(", ")}; `
        + `elements read now: ${named(read)}; written now: ${named(written)}`);
    },
  };
}

/** One schedule: who runs, who ran before, memory and instructions. */
function stage(report, first, changed) {
  let variant, chosen, memory;
  const side = "AB"[first];
  const names = warpNames(report);
  const event = h("p", { class: "event" });
  const found = h("p", { class: "so-far" });
  const recent = h("ol", { class: "recent" });
  const arrays = h("div", { class: "arrays" });
  const instructions = h("ol", { class: "instructions" });
  const choice = select(`Schedule ${side}`,
    report.variants.map(({ label, outcome }) => `${label}: outcome ${outcome + 1}`), (index) => (choose(index), changed()));
  choice.lastChild.selectedIndex = first;

  function choose(index) {
    variant = report.variants[chosen = index];
    memory = variant.memory.map((array) => memoryView(array, variant.steps));
    arrays.replaceChildren(...memory.map((view) => view.element));
    const most = Math.max(...variant.steps.map(({ part }) => report.parts[part].instructions.length));
    instructions.style.setProperty("--rows", Math.min(most, LISTED));
    instructions.tabIndex = most > LISTED ? 0 : -1;
  }
  const lanesAt = (step) => lanesOf(maskStates(step.mask, report.lanes, "c"), "c");
  const lineOf = (step) => report.parts[step.part].line;
  const state = (step) => (lanesAt(step).length === report.warps[step.warp].threads ? "c" : "e");
  const who = (step) => (names.length > 1 ? `${names[step.warp]}, ` : "");
  const ending = () => (variant.cut ? `The first ${variant.steps.length} steps are shown` : "Finished")
    + `; outcome ${variant.outcome + 1}: ${report.exploration.outcomes[variant.outcome].description}`;
  function sentence(step) {
    if (step < 0) return "Not yet begun.";
    if (step >= variant.steps.length) return `${ending()}.`;
    const now = variant.steps[step];
    return capital(`${who(now)}${inWords(lanesAt(now))} line ${lineOf(now)}.`);
  }

  choose(first);
  return {
    element: h("div", { class: "stage" },
      h("div", { class: "choices" }, h("b", { class: "side" }, side), choice),
      h("div", { class: "words" }, event, found),
      h("div", { class: "order" }, h("p", { class: "subtitle" }, "Who ran, latest last"), recent, arrays),
      h("div", { class: "listing" }, h("p", { class: "subtitle" }, "Instructions of this step"), instructions)),
    variant: () => variant,
    chosen: () => chosen,
    length: () => variant.steps.length,
    sentence,
    /** Shows a step; those below 0 are before the first. `difference` says what is seen here, at step `at`. */
    show(step, at, difference) {
      const { steps } = variant;
      const now = Math.max(-1, Math.min(step, steps.length - 1));
      const so_far = steps.slice(0, now + 1);
      const begin = Math.max(0, now - RECENT + 1);
      event.textContent = sentence(step);
      found.textContent = difference && step === at ? `First difference: ${difference}.` : "";
      recent.replaceChildren(...so_far.slice(begin).map((each, index) => h("li",
        { "data-current": begin + index === now && "", "data-parts": begin + index === at && "" },
        h("span", { class: "number" }, `${begin + index + 1}`), h("span", {}, `${names.length > 1 ? `warp ${each.warp}, ` : ""}line ${lineOf(each)}`),
        laneBar(maskStates(each.mask, report.lanes, state(each))))));
      for (const view of memory) view.show(so_far);
      const texts = so_far.length ? report.parts[so_far.at(-1).part].instructions : [];
      instructions.replaceChildren(...texts.map((text) => h("li", {}, text)));
    },
    standing(step) {
      const now = variant.steps[step];
      if (!now) return { line: -1, marks: [] };
      const count = lanesAt(now).length;
      return { line: lineOf(now), marks: [[lineOf(now), state(now), `${count}`, `${count} lanes run this line`]] };
    },
    /** Active lanes of every step, after `late` steps in which this side waits; the step `at` stands out. */
    bars: (late, steps, at) => bars([...Array(late).fill([0, "c"]),
      ...variant.steps.map((each, step) => (step === at ? [report.lanes, "i"] : [lanesAt(each).length, state(each)]))], steps, report.lanes),
  };
}

/** How often each outcome came: a bar, what it was, and which sides show it. */
function outcomeList({ outcomes, schedules }) {
  const badges = outcomes.map(() => h("span", { class: "badges" }));
  const rows = outcomes.slice(0, OUTCOMES).map(({ count, description, error }, index) => h("li", {},
    h("span", { class: "number" }, `${index + 1}`), badges[index],
    h("span", { class: "count" }, `${count} ×`), h("span", { class: "share", "aria-hidden": "true" },
      h("span", { "data-error": error && "", style: `width: ${(100 * count) / schedules}%` })),
    h("span", { class: "what" }, description)));
  const more = outcomes.length - OUTCOMES;
  if (more > 0) rows.push(h("li", { class: "more" }, `… and ${more} more`));
  return {
    element: h("ol", { class: "outcomes", "aria-label": `Outcomes of ${schedules} schedules` }, ...rows),
    mark(shown) {
      badges.forEach((badge, index) => badge.replaceChildren(...shown.flatMap(({ outcome }, side) =>
        (outcome === index ? [h("b", { class: "side", title: `Shown as ${"AB"[side]}` }, "AB"[side])] : []))));
    },
  };
}

function draw(report) {
  let late, difference;
  const { exploration } = report;
  const source = sourceView(report.source);
  const stages = report.variants.slice(0, 2).map((_, index) => stage(report, index, relay));
  const outcomes = outcomeList(exploration);
  const stepOf = (side, step) => step - late[side];
  const player = playback({
    title: STRIP,
    show(step) {
      stages.forEach((each, side) => each.show(stepOf(side, step), difference?.steps[side] ?? -1,
        difference && `${difference.thread} ${difference.says[side]}`));
      source.mark(stages.map((each, side) => each.standing(stepOf(side, step))));
    },
    describe: (step) => `step ${step + 1}: ` + stages.map((each, side) => each.sentence(stepOf(side, step))).join(" Compared with: "),
  });
  const jump = h("button", { type: "button", class: "jump", onclick: () => (player.stop(), player.go(late[0] + difference.steps[0])) },
    "Go to the first difference");
  const none = h("span", { class: "subtitle" }, "No thread saw anything different.");

  /** The first difference of the two schedules shown, seen from both sides. */
  function parting() {
    const [a, b] = stages.map((each) => each.chosen());
    const of = report.differences.find(({ pair }) => pair[0] === Math.min(a, b) && pair[1] === Math.max(a, b));
    if (!of || a === b) return null;
    const turn = (pair) => (a < b ? pair : [...pair].reverse());
    return { thread: of.thread, steps: turn(of.steps), says: turn([of.here, of.there]) };
  }
  function relay() {
    difference = stages.length > 1 ? parting() : null;
    // Both sides reach the first difference at the same moment: the quicker one begins later.
    const meeting = Math.max(...(difference?.steps ?? [0]));
    late = stages.map((_, side) => (difference ? meeting - difference.steps[side] : 0));
    const steps = Math.max(...stages.map((each, side) => late[side] + each.length()));
    player.strip.replaceChildren(...stages.map((each, side) => each.bars(late[side], steps, difference?.steps[side])));
    player.name.textContent = STRIP + (stages.length > 1 ? ": A above, B below" : "");
    outcomes.mark(stages.map((each) => each.variant()));
    jump.hidden = !difference;
    none.hidden = Boolean(difference) || stages.length < 2;
    player.resize(steps);
  }
  const count = exploration.outcomes.length;
  const root = group(`Schedule explorer: ${report.title}`, "schedule-explorer comparing", player.keydown,
    h("div", { class: "heading" }, h("b", {}, report.title),
      h("span", { class: "subtitle" }, `${exploration.schedules} schedules, ${count} outcome${count === 1 ? "" : "s"}, `
        + `${exploration.device} (${exploration.scheduling})`)),
    outcomes.element,
    h("div", { class: "parting" }, jump, none),
    h("div", { class: "stages" }, source.element, ...stages.map((each) => each.element)),
    player.element,
    h("ul", { class: "legend", "aria-label": "Legend" }, ...Object.entries(LEGEND).map(([state, meaning]) =>
      h("li", {}, h("span", { class: "lane", "data-state": state, "aria-hidden": "true" }), meaning)),
    h("li", {}, h("span", { class: "cells sample", "aria-hidden": "true" }, h("span", { "data-read": "" }, "5")), "read in this step"),
    h("li", {}, h("span", { class: "cells sample", "aria-hidden": "true" }, h("span", { "data-written": "" }, "5")), "written in this step")));
  relay();
  return { element: root, stop: player.stop };
}

export default widget(draw);
