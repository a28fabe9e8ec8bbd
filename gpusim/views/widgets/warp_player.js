// The warp player: a kernel's source beside one warp of a traced run, step by step.
import { bars, group, h, laneBar, lanesOf, maskStates, playback, ranges, select, sourceView, warpNames, widget } from "./controls.js";

const STATES = {
  c: "coherent: every live lane runs this",
  i: "on the if side",
  e: "on the else side",
  s: "stalled: waits for other lanes",
  b: "at a barrier: waits for other warps",
  x: "gone: has left the kernel",
  ".": "empty: no thread in this lane",
};
const ALWAYS_IN_LEGEND = "cies";
const STRIP = "Active lanes in every step";
const LISTED = 8; // instructions in view
const SIDES = { "if side": "i", "else side": "e", reconverge: "s" };

const inWords = (states) =>
  Object.keys(STATES).filter((state) => states.includes(state))
    .map((state) => `${ranges(lanesOf(states, state))} ${STATES[state].split(":")[0]}`).join("; ");

/** The state of the lanes that run; where none does, of the lanes that wait at a barrier. */
const running = ({ states }) => /[cie]/.exec(states)?.[0] ?? "b";

/** Lanes that stand at each waiting stack entry and at no entry above it, as [line, lanes]. */
function waiting(stack, lanes) {
  let above = 0n;
  return [...stack].reverse().map(({ mask, line }) => {
    const here = BigInt(`0x${mask}`) & ~above;
    above |= here;
    return [line, lanesOf(maskStates(here.toString(16), lanes, "s"), "s").length];
  }).slice(1);
}

/** Where the lanes of a frame stand in the source: counts that run, that wait, and where they join. */
const standing = (frame) => ({
  line: frame.line,
  marks: [
    [frame.line, running(frame), `${frame.active}`, `${frame.active} lanes run this line`],
    ...waiting(frame.stack, frame.states.length).map(([line, lanes]) =>
      lanes ? [line, "s", `${lanes}`, `${lanes} lanes wait to run this line`] : [line, "join", "join", "lanes reconverge here"]),
  ],
});

/** One variant's warp: lanes, mask stack, instructions and the sentence; `changed()` when its frames are others. */
function stage(report, first, changed) {
  let variant, names, frames, cells, one; // one: index of the only warp shown, or -1 for all
  const lanes = h("div", { class: "lanes", role: "img" });
  const caption = h("p", { class: "subtitle" });
  const warps = h("ol", { class: "warps" });
  const stackTitle = h("p", { class: "subtitle" });
  const stack = h("ol", { class: "stack" });
  const instructions = h("ol", { class: "instructions" });
  const event = h("p", { class: "event" });
  const soFar = h("p", { class: "so-far" });
  const variantChoice = select("Run", report.variants.map(({ label }) => label), (index) => (choose(index), changed()));
  const warpSlot = h("span", { class: "slot" });
  variantChoice.lastChild.selectedIndex = first;

  function choose(index) {
    variant = report.variants[index];
    names = warpNames(variant);
    const several = variant.warps.length > 1;
    one = several ? -1 : 0;
    warpSlot.replaceChildren(select("Warp", [...(several ? ["all, as they run"] : []), ...names],
      (chosen) => (filter(chosen - 1), changed())));
    cells = Array.from({ length: variant.lanes }, (_, lane) => h("span", { class: "lane" }, `${lane}`));
    lanes.replaceChildren(...cells);
    stackTitle.textContent = variant.scheduling === "stack" ? "Mask stack, top runs now" : "Groups of lanes, top runs now";
    // Room for the largest frame, so that nothing jumps while stepping.
    const most = (field) => Math.max(...variant.frames.map((frame) => frame[field].length));
    stack.style.setProperty("--rows", most("stack"));
    instructions.style.setProperty("--rows", Math.min(most("instructions"), LISTED));
    instructions.tabIndex = most("instructions") > LISTED ? 0 : -1; // what scrolls must take the focus
    filter(one);
  }
  function filter(warp) {
    one = warp;
    frames = variant.frames.filter((frame) => one < 0 || frame.warp === one);
  }
  const frameAt = (step) => frames[Math.min(step, frames.length - 1)];

  function stackEntry(entry, top, frame) {
    const where = top ? `runs line ${frame.line}` : entry.what === "reconverge" ? `at line ${entry.line}` : `waits for line ${entry.line}`;
    const join = entry.reconverges_at && entry.what !== "reconverge" ? `, rejoins at ${entry.reconverges_at}` : "";
    return h("li", { "data-mask": entry.mask, "data-top": top && "" },
      h("span", { class: "what" }, h("b", {}, entry.what), ` ${where}${join}`),
      laneBar(maskStates(entry.mask, variant.lanes, SIDES[entry.what] ?? "c")),
      h("span", { class: "mask" }, `0x${entry.mask}`));
  }
  function show(step) {
    const frame = frameAt(step);
    const { threads } = variant.warps[frame.warp];
    const name = names[frame.warp];
    [...frame.states].forEach((state, lane) => {
      cells[lane].dataset.state = state;
      cells[lane].title = `lane ${lane} ${STATES[state]}`;
    });
    lanes.setAttribute("aria-label", `${name}: lanes ${inWords(frame.states)}`);
    caption.replaceChildren(h("b", {}, name), ` ${frame.active} of ${variant.lanes} lanes active`
      + (threads < variant.lanes ? `, ${threads} threads` : ""));
    warps.hidden = one >= 0;
    if (one < 0) warps.replaceChildren(...names.map((warpName, index) => {
      const latest = frames.slice(0, step + 1).findLast((earlier) => earlier.warp === index);
      return h("li", { "data-current": index === frame.warp && "" }, warpName,
        laneBar(latest?.states ?? ".".repeat(variant.lanes)));
    }));
    stack.replaceChildren(...frame.stack.map((entry, depth) => stackEntry(entry, depth === frame.stack.length - 1, frame)).reverse());
    instructions.replaceChildren(...frame.instructions.map((text) => h("li", {}, text)));
    event.textContent = sentence(frame, step);
    const counts = frame.so_far;
    soFar.textContent = counts ? `So far: ${counts.active_lanes_per_instruction.toFixed(1)} of ${variant.lanes} lanes`
      + ` active per instruction, over ${counts.instructions} instruction${counts.instructions === 1 ? "" : "s"} of ${name}.` : "";
  }
  const sentence = (frame, step) => (step < frames.length ? "" : variant.error ? "Stopped. " : "Finished. ")
    + (frame.event ? frame.event[0].toUpperCase() + frame.event.slice(1).replace(/\.?$/, ".")
      : `Line ${frame.line}: ${frame.active} of ${variant.lanes} lanes run.`);

  choose(first);
  return {
    element: h("div", { class: "stage" },
      h("div", { class: "choices" }, h("b", { class: "side" }, "AB"[first]), variantChoice, warpSlot),
      h("div", { class: "words" }, event, soFar),
      h("div", { class: "warp" }, caption, lanes, warps, stackTitle, stack),
      h("div", { class: "listing" }, h("p", { class: "subtitle" }, "Instructions of this step"), instructions)),
    show, frameAt,
    length: () => frames.length,
    describe(step) {
      const frame = frameAt(step);
      return `line ${frame.line}, ${frame.active} of ${variant.lanes} lanes active${frame.event ? `, ${frame.event}` : ""}`;
    },
    /** Active lanes of every step as bars, on a scale of `steps`. */
    bars: (steps) => bars(frames.map((frame) => [frame.active, running(frame)]), steps, variant.lanes),
  };
}

function legend(report) {
  const seen = new Set(report.variants.flatMap(({ frames }) => frames.flatMap(({ states }) => [...states])));
  return h("ul", { class: "legend", "aria-label": "Legend" }, ...Object.entries(STATES)
    .filter(([state]) => ALWAYS_IN_LEGEND.includes(state) || seen.has(state))
    .map(([state, meaning]) => h("li", {}, h("span", { class: "lane", "data-state": state, "aria-hidden": "true" }, "5"), meaning)));
}

function draw(report) {
  let shown;
  const source = sourceView(report.source);
  const stages = report.variants.slice(0, 2).map((_, index) => stage(report, index, relay));
  const player = playback({
    title: STRIP,
    show(step) {
      shown.forEach((each) => each.show(step));
      source.mark(shown.map((each) => standing(each.frameAt(step))));
    },
    describe: (step) => `step ${step + 1} of ${Math.max(...shown.map((each) => each.length()))}: `
      + shown.map((each) => each.describe(step)).join(" — compared with: "),
  });
  const compare = h("input", { type: "checkbox", checked: report.compare && "", onchange: relay });
  const area = h("div", { class: "stages" });

  function relay() {
    shown = compare.checked ? stages : stages.slice(0, 1);
    root.classList.toggle("comparing", compare.checked);
    area.replaceChildren(source.element, ...shown.map((each) => each.element));
    const steps = Math.max(...shown.map((each) => each.length()));
    player.name.textContent = STRIP + (compare.checked ? ": A above, B below" : "");
    player.strip.replaceChildren(...shown.map((each) => each.bars(steps)));
    player.resize(steps);
  }
  const root = group(`Warp player: ${report.title}`, "warp-player", player.keydown,
    h("div", { class: "heading" }, h("b", {}, report.title),
      stages.length > 1 ? h("label", { class: "choice" }, compare, h("span", {}, "Compare two runs")) : null),
    area,
    player.element, legend(report));
  relay();
  return { element: root, stop: player.stop };
}

export default widget(draw);
