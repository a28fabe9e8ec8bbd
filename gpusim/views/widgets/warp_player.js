// The warp player: a kernel's source beside one warp of a traced run, step by step, with its values and a sentence.
import { bars, capital, group, h, lanesOf, laneBar, maskStates, playback, ranges, select, sourceView, warpNames, widget } from "./controls.js";

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
const NUMBER = "lane number";
const SIDES = { "if side": "i", "else side": "e", reconverge: "s", "meeting point": "s" };
const END = "the kernel's end";
const LONGEST_ROUND = 4, FEWEST_ROUNDS = 3; // what is folded
const HELD = { push: 2.6, part: 2.6, pop: 2.6, turn: 2.2, leave: 2, barrier: 2, stop: 2 };
const MOVE_MS = 250; // a push or pop
const FEW = 8; // cells that flash each for itself
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const DIRECTION = "Lane 0 left; hex from last lane";
const SLOT = "A lane slot is one lane in one instruction, paid for whether it runs or not.";
const OTHERS = "lanes elsewhere"; // where lanes have counters of their own
const CELLS = [32, 16, 8, 4, 2, 1], DIGIT = 6.1, LETTER = 7.5, ROOM = 600, NARROW = 305; // elements of an array in a row; pixels

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

const numbers = (elements) => elements.split(" ").flatMap((part) => {
  const [low, high = low] = part.split("-").map(Number);
  return Array.from({ length: high - low + 1 }, (_, index) => low + index);
});
const each = (places, values) => {
  const texts = values.split(" ");
  return places.map((place, index) => [place, texts[texts.length > 1 ? index : 0]]);
};
/** A copy with new values at some places. */
const changed = (values, pairs) => {
  const copy = [...values];
  for (const [place, value] of pairs) copy[place] = value;
  return copy;
};

/** Each frame with what registers and arrays hold after it, and how every warp stands. */
function moments({ frames, lanes, arrays = [], warps }) {
  let memory = arrays.map(({ values }) => values), states = warps.map(() => ".".repeat(lanes));
  const held = warps.map(() => ({}));
  return frames.map((frame) => {
    const active = [...frame.states].flatMap((state, lane) => ("cie".includes(state) ? [lane] : []));
    for (const [name, values] of frame.given ?? [])
      held[frame.warp] = { ...held[frame.warp], [name]: changed(held[frame.warp][name] ?? Array(lanes).fill(""), each(active, values)) };
    for (const [array, elements, values] of frame.writes ?? [])
      memory = changed(memory, [[array, changed(memory[array], each(numbers(elements).map((n) => n - arrays[array].first), values))]]);
    states = changed(states, [[frame.warp, frame.states]]);
    return { frame, registers: held[frame.warp], memory, states, times: 1 };
  });
}

/** Rounds that come again just as they were become one, which says how often. */
function folded(all) {
  const keys = all.map(({ frame }) => JSON.stringify({ ...frame, so_far: 0 }));
  const found = [];
  for (let at = 0; at < all.length;) {
    let round = 1, rounds = 1;
    for (let length = 1; length <= LONGEST_ROUND && rounds < FEWEST_ROUNDS; length++) {
      let end = at + length;
      while (end < all.length && keys[end] === keys[end - length]) end++;
      [round, rounds] = [length, Math.floor((end - at) / length)];
    }
    if (rounds < FEWEST_ROUNDS) [round, rounds] = [1, 1];
    for (let index = 0; index < round; index++) {
      const last = all[at + (rounds - 1) * round + index];
      found.push({ ...last, times: rounds, round });
    }
    at += round * rounds;
  }
  return found;
}

/** A mask as groups of four lanes, lane 0 at the left, over its digits as they are written, lane 0 in the last. */
function maskBar(mask, lanes, state) {
  const digits = [...mask].reverse();
  return h("span", { class: "mask-bar" }, ...digits.map((digit, place) =>
    h("span", { title: `lanes ${4 * place}–${4 * place + 3}: hex digit ${digit}`, "data-group": place },
      laneBar(maskStates(digit, Math.min(4, lanes - 4 * place), state)))), h("small", {}, `0x${mask}`));
}

/** The mask stack, or the groups of lanes: entries slide in when pushed and lift off when popped. */
function stackView() {
  const element = h("ol", { class: "stack" });
  let rows = [];

  const meeting = ({ what }) => what === "meeting point" || what === "reconverge";
  function made({ what, mask }, lanes) {
    const state = SIDES[what] ?? (what === OTHERS ? "s" : "c"), where = h("span", {});
    return { where, element: h("li", {}, h("span", { class: "what" }, h("i", { class: "lane", "data-state": state }), h("b", {}, what === OTHERS ? "others" : what), where),
      maskBar(mask, lanes, state)) };
  }
  function write({ element, where }, entry, top, place) {
    const { mask, line, reconverges_at: meets } = entry;
    where.textContent = ` ${top ? "runs" : "at"} ${place(line)}`;
    element.dataset.mask = mask;
    element.title = `mask 0x${mask}${meets && !meeting(entry) ? `, meets the others at ${place(meets)}` : ""}`;
    element.toggleAttribute("data-top", top);
  }
  /** Entries keep their row while they keep their depth, their name and all lanes that have not left. */
  const stays = (old, entry) => old && old.what === entry.what && (BigInt(`0x${entry.mask}`) & ~BigInt(`0x${old.mask}`)) === 0n;
  function show(stack, lanes, place, moving) {
    const move = moving && !calm.matches;
    let kept = 0;
    while (kept < stack.length && stays(rows[kept]?.entry, stack[kept])) kept++;
    for (const gone of rows.slice(kept)) {
      gone.element.removeAttribute("data-mask");
      if (!move) gone.element.remove();
      else {
        gone.element.classList.add("popped");
        gone.element.animate([{}, { transform: "translateY(-80px)" }], { duration: MOVE_MS, easing: "ease-in" })
          .onfinish = () => gone.element.remove();
      }
    }
    rows = stack.map((entry, depth) => {
      const old = depth < kept ? rows[depth] : null;
      const row = old?.entry.mask === entry.mask ? old : made(entry, lanes);
      if (old && row !== old) old.element.replaceWith(row.element);
      if (!old) {
        element.prepend(row.element);
        if (move) row.element.animate([{ transform: "translateX(100%)" }, {}], { duration: MOVE_MS, easing: "ease-out" });
      }
      if (row.entry !== entry) write(row, entry, depth === stack.length - 1, place);
      return Object.assign(row, { entry });
    });
  }
  return { element, show, clear: () => (rows = [], element.replaceChildren()) };
}

/** A few cells flash, of many the picture that they lie in: every cell would be painted for itself. */
const flash = (cells, picture) => calm.matches || (cells.length > FEW ? [picture] : cells).forEach((each) =>
  each.animate([{ boxShadow: "0 0 0 4px var(--focus)" }, { boxShadow: "0 0 0 4px transparent" }], MOVE_MS));

/** Arrays beside the lanes; what a step reads or writes flashes. */
function arraysView({ arrays = [], frames }) {
  const widest = arrays.map(({ values }) => Math.max(1, ...values.map((value) => value.length)));
  for (const { writes } of frames) for (const [array, , values] of writes ?? []) widest[array] = Math.max(widest[array], ...values.split(" ").map((value) => value.length));
  const label = ({ name, first }) => name + (first ? ` from ${first}` : "");
  const across = (array, room) => Math.min(arrays[array].values.length,
    CELLS.find((cells) => cells * (DIGIT * widest[array] + 5) <= room - LETTER * label(arrays[array]).length) ?? 1);
  const cells = arrays.map(({ name, first, values }) => values.map((_, place) => h("span", { title: `${name}[${first + place}]` })));
  const grids = arrays.map(({ name, space }, index) => h("div", { class: "cells", role: "img", "aria-label": `${space} array ${name}`,
    style: `--columns: ${across(index, ROOM)}; --narrow: ${across(index, NARROW)}; --widest: ${Math.ceil(DIGIT * widest[index] + 4)}px` }, ...cells[index]));
  const marked = { read: new Set(), written: new Set() };
  let last = [];
  return {
    element: h("div", { class: "arrays" }, ...arrays.map(({ name, space, first }, index) =>
      h("div", { class: "beside" }, h("span", { class: "subtitle", title: `${space} memory` }, h("b", {}, name), first ? ` from ${first}` : ""), grids[index]))),
    show({ frame: { reads = [], writes = [] }, memory }) {
      for (const [kind, touched] of [["read", reads], ["written", writes]]) {
        const now = new Set();
        for (const [array, elements] of touched) {
          const each = numbers(elements).map((element) => cells[array][element - arrays[array].first]);
          each.forEach((cell) => now.add(cell));
          flash(each, grids[array]);
        }
        for (const cell of marked[kind]) if (!now.has(cell)) delete cell.dataset[kind];
        for (const cell of now) if (!marked[kind].has(cell)) cell.dataset[kind] = "";
        marked[kind] = now;
      }
      memory.forEach((values, array) => values !== last[array] && values.forEach((value, place) => {
        if (value !== last[array]?.[place]) cells[array][place].textContent = value;
      }));
      last = memory;
    },
  };
}

/** One variant's warp: lanes, gauge, stack, arrays and the sentence; `changed()` when its steps are others. */
function stage(report, first, changed) {
  let variant, names, all, steps, cells, one, arrays, mostPaid; // one: index of the only warp shown, or -1 for all
  let shows = report.shows ?? "", drawn = -1;
  const end = report.source.first_line + report.source.lines.length;
  const place = (line) => (line === end ? "the end" : `line ${line}`);
  const lanes = h("div", { class: "lanes", role: "img" });
  const caption = h("p", { class: "subtitle" });
  const warps = h("ol", { class: "warps" });
  const paid = h("span", { class: "paid" }), used = h("span", { class: "used" }), soFar = h("p", { class: "so-far", title: SLOT });
  const stackTitle = h("p", { class: "subtitle", title: DIRECTION });
  const stack = stackView();
  const listing = h("ol", { class: "instructions" });
  const details = h("details", { class: "listing", ontoggle: () => list() }, h("summary", {}, "Instructions", h("span", { class: "of" }, ` of ${"AB"[first]}`)), listing);
  const event = h("p", { class: "event" });
  const variantChoice = select("Run", report.variants.map(({ label }) => label), (index) => (choose(index), changed()));
  const warpSlot = h("span", { class: "slot" }), showSlot = h("span", { class: "slot" });
  const beside = h("div", { class: "memory-beside" }), top = h("div", { class: "top" }, caption, showSlot);
  variantChoice.lastChild.selectedIndex = first;
  lanes.addEventListener("pointerover", ({ target }) => (target.title = target === lanes ? "" : `lane ${cells.indexOf(target)} ${STATES[target.dataset.state]}`));
  stack.element.addEventListener("pointerover", ({ target }) => light(target.closest("[data-group]")?.dataset.group));
  stack.element.addEventListener("pointerleave", () => light());

  /** The four lanes that a hex digit stands for. */
  const light = (four) => cells.forEach((cell, lane) => cell.toggleAttribute("data-lit", four != null && lane >> 2 === Number(four)));

  function choose(index) {
    variant = report.variants[index];
    names = warpNames(variant);
    all = moments(variant);
    const several = variant.warps.length > 1, variables = variant.names ?? [];
    warpSlot.replaceChildren(select("Warp", [...(several ? ["all, as they run"] : []), ...names],
      (chosen) => (filter(several ? chosen - 1 : 0), changed())));
    const values = select("show", [NUMBER, ...variables], (chosen) => {
      shows = variables[chosen - 1] ?? "";
      if (drawn >= 0) values_();
    });
    values.lastChild.setAttribute("aria-label", "Lanes show");
    values.lastChild.selectedIndex = variables.indexOf(shows) + 1;
    showSlot.replaceChildren(values);
    cells = Array.from({ length: variant.lanes }, (_, lane) => h("span", { class: "lane" }, `${lane}`));
    lanes.replaceChildren(...cells);
    lanes.classList.toggle("many", variant.lanes > 32);
    arrays = arraysView(variant);
    beside.replaceChildren(arrays.element);
    stackTitle.textContent = variant.scheduling === "stack" ? "Mask stack: top runs" : "Groups: top runs";
    // Room for the largest frame, so that nothing jumps while stepping.
    stack.element.style.setProperty("--rows", Math.max(...variant.frames.map((frame) => frame.stack.length)));
    filter(several ? -1 : 0);
  }
  function filter(warp) {
    one = warp;
    warps.hidden = one >= 0;
    steps = folded(all.filter(({ frame }) => one < 0 || frame.warp === one));
    mostPaid = Math.max(...steps.map(({ frame }) => frame.so_far?.instructions ?? 0));
    drawn = -1;
    stack.clear();
  }
  const momentAt = (step) => steps[Math.min(step, steps.length - 1)];

  function values_() {
    const { frame, registers } = momentAt(drawn), place = variant.names?.indexOf(shows) ?? -1;
    const held = place < 0 ? null : registers[place];
    const given = (frame.given ?? []).some(([name]) => name === place);
    if (given) flash(cells.filter((_, lane) => "cie".includes(frame.states[lane])), lanes);
    cells.forEach((cell, lane) => {
      const text = place < 0 ? `${lane}` : held?.[lane] || "·", size = text.length > 5 ? "long" : "";
      if (cell.firstChild.data !== text) cell.firstChild.data = text;
      if (cell.dataset.size !== size) cell.dataset.size = size;
      cell.toggleAttribute("data-given", given && "cie".includes(frame.states[lane]));
    });
  }
  function list() {
    if (details.open && drawn >= 0) listing.replaceChildren(...momentAt(drawn).frame.instructions.map((text) => h("li", {}, text)));
  }
  function show(step) {
    const moment = momentAt(step), { frame } = moment;
    const next = step === drawn + 1 && frame.warp === momentAt(drawn)?.frame.warp;
    drawn = step;
    const name = names[frame.warp];
    const answers = frame.taken ? maskStates(frame.taken, variant.lanes, "T") : "";
    [...frame.states].forEach((state, lane) => {
      const cell = cells[lane], answer = answers && "cie".includes(state) ? answers[lane].replace(".", "F") : "";
      if (cell.dataset.state !== state) cell.dataset.state = state;
      if ((cell.dataset.answer ?? "") !== answer) answer ? (cell.dataset.answer = answer) : delete cell.dataset.answer;
    });
    values_();
    lanes.setAttribute("aria-label", `${name}: lanes ${inWords(frame.states)}`);
    caption.replaceChildren(h("b", {}, name), ` ${frame.active} of ${variant.warps[frame.warp].threads} active`);
    if (one < 0) warps.replaceChildren(...names.map((warpName, index) =>
      h("li", { "data-current": index === frame.warp && "" }, warpName, laneBar(moment.states[index]))));
    stack.show(frame.stack, variant.lanes, place, next);
    arrays.show(moment);
    list();
    const text = sentence(moment, step);
    event.replaceChildren(...text.split("`").map((part, index) => (index % 2 ? h("code", {}, part) : part)));
    gauge(frame.so_far, name);
  }
  function gauge(counts, name) {
    if (!counts) return;
    const { instructions, thread_instructions: threads } = counts, slots = instructions * variant.lanes;
    for (const [bar, number] of [[paid, slots], [used, threads]]) // moved rather than widened: nothing is laid out anew
      bar.style.transform = `translateX(${(100 * number) / (mostPaid * variant.lanes) - 100}%)`;
    soFar.replaceChildren(`${names.length > 1 ? `${name}: ` : ""}${threads.toLocaleString("en")} of ${slots.toLocaleString("en")} lane slots used`,
      h("span", { class: "mean" }, `, mean ${counts.active_lanes_per_instruction.toFixed(1)} of ${variant.lanes}`));
  }
  const sentence = ({ frame, times, round }, step) => (step < steps.length ? "" : variant.error ? "Stopped. " : "Finished. ")
    + (frame.event ? capital(frame.event).replace(/\.?$/, ".") : `Line ${frame.line}: ${frame.active} of ${variant.lanes} lanes run.`)
    + (times > 1 ? ` (× ${times}${round > 1 ? `, these ${round} steps in turn` : ""}: nothing changes)` : "");

  choose(first);
  return {
    choices: h("div", { class: "choices" }, h("b", { class: "side" }, "AB"[first]), variantChoice, warpSlot),
    words: h("div", { class: "words" }, h("b", { class: "side" }, "AB"[first]), event),
    element: h("div", { class: "stage" },
      h("div", { class: "warp" }, top, lanes, h("div", { class: "slots" }, h("div", { class: "gauge", title: SLOT }, paid, used), soFar), warps, stackTitle, stack.element),
      beside),
    details, top, show,
    chosen: () => variantChoice.lastChild.selectedIndex,
    /** Two that are compared begin as two. */
    unlike(other) {
      const box = variantChoice.lastChild;
      if (box.selectedIndex === other) choose((box.selectedIndex = (other + 1) % report.variants.length));
    },
    frameAt: (step) => momentAt(step).frame,
    hold: (step) => Math.max(HELD[momentAt(step).frame.happens] ?? 1, momentAt(step).times > 1 ? 2 : 1),
    length: () => steps.length,
    describe: (step) => `${place(momentAt(step).frame.line)}: ${sentence(momentAt(step), step)}`,
    /** Active lanes of every step as bars, on a scale of `steps`. */
    bars: (scale) => bars(steps.map(({ frame }) => [frame.active, running(frame)]), scale, variant.lanes),
  };
}

function legend(report) {
  const seen = new Set(report.variants.flatMap(({ frames }) => frames.flatMap(({ states }) => [...states])));
  return h("ul", { class: "legend", "aria-label": "Legend" }, ...Object.entries(STATES)
    .filter(([state]) => ALWAYS_IN_LEGEND.includes(state) || seen.has(state))
    .map(([state, meaning]) => h("li", { title: meaning }, h("span", { class: "lane", "data-state": state, "aria-hidden": "true" }, "5"), meaning.split(":")[0].replace("on the ", ""))),
    h("li", { class: "direction", title: DIRECTION }, DIRECTION.split(";")[0]), h("li", { title: SLOT }, "slot: lane × instruction"));
}

/** The source, with a row for the kernel's end below its last line. */
function sourceAndEnd({ lines, ...source }) {
  const view = sourceView({ ...source, lines: [...lines, END] });
  view.element.querySelector("li:last-child").classList.add("end");
  return view;
}

function draw(report) {
  let shown;
  const source = sourceAndEnd(report.source);
  const stages = report.variants.slice(0, 2).map((_, index) => stage(report, index, relay));
  const player = playback({
    title: STRIP,
    hold: (step) => Math.max(...shown.map((each) => each.hold(step))),
    show(step) {
      shown.forEach((each) => each.show(step));
      source.mark(shown.map((each) => standing(each.frameAt(step))));
    },
    describe: (step) => `step ${step + 1} of ${Math.max(...shown.map((each) => each.length()))}: `
      + shown.map((each) => each.describe(step)).join(" — compared with: "),
  });
  const compare = h("input", { type: "checkbox", "aria-label": "Compare two runs", checked: report.compare && "",
    onchange: () => (stages[1].unlike(stages[0].chosen()), relay()) });
  const area = h("div", { class: "stages" }), told = h("div", { class: "told" }), chosen = h("div", { class: "chosen" }), more = h("div", { class: "more" });
  player.element.prepend(told);

  function relay() {
    shown = compare.checked ? stages : stages.slice(0, 1);
    root.classList.toggle("comparing", compare.checked);
    chosen.replaceChildren(...(compare.checked ? [] : [stages[0].choices]));
    if (compare.checked) shown.forEach((each) => each.top.prepend(each.choices));
    area.replaceChildren(source.element, ...shown.map((each) => each.element));
    told.replaceChildren(...shown.map((each) => each.words));
    more.replaceChildren(...shown.map((each) => each.details));
    const steps = Math.max(...shown.map((each) => each.length()));
    player.name.textContent = STRIP + (compare.checked ? ": A above, B below" : "");
    player.strip.replaceChildren(...shown.map((each) => each.bars(steps)));
    player.resize(steps);
  }
  const root = group(`Warp player: ${report.title}`, "warp-player", player.keydown,
    h("div", { class: "heading" }, h("b", {}, report.title), chosen,
      stages.length > 1 ? h("label", { class: "choice" }, compare, h("span", {}, "Compare")) : null),
    area, player.element, h("div", { class: "foot" }, more, legend(report)));
  relay();
  return { element: root, stop: player.stop };
}

export default widget(draw);
