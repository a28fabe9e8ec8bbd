// Block placement: blocks fall into the multiprocessors in the order of their numbers; grid and block size are pushed.
import { bars, capital, count, group, h, playback, pushed, ranges, select, widget } from "./controls.js";
import { blocksOf, sharesOf } from "./occupancy_rules.js";
import { placed, tailOf } from "./placement_rules.js";

const ONE_BY_ONE = 40; // blocks, each of which has a step of its own
const NUMBERED = 16, FALLING = 300, WAITING = 24, WAVES = 6, NOBODY = 0.0005;
const percent = (share) => `${Math.round(100 * share)} %`;
const number = (value) => value.toLocaleString("en", { maximumFractionDigits: 1 });
/** "blocks 8 and 9", or how many where the list is long; with the form of the verb that fits. */
function they(noun, numbers, one = "", many = one) {
  const sorted = [...numbers].sort((a, b) => a - b), { length } = sorted, listed = length === 2 ? sorted.join(" and ") : ranges(sorted);
  return `${listed.length > 20 ? count(length, noun) : `${noun}${length > 1 ? "s" : ""} ${listed}`}${length > 1 ? many : one}`;
}

/** Who starts and leaves at which step: of few blocks each that starts has its own. */
function stepsOf(blocks) {
  const times = new Map(), at = (time) => times.get(time) ?? times.set(time, { time, first: true, starts: [], leaves: [] }).get(time);
  for (const block of blocks) {
    at(block.start).starts.push(block);
    at(block.end).leaves.push(block);
  }
  const found = [...times.values()].sort((a, b) => a.time - b.time);
  if (blocks.length > ONE_BY_ONE) return found;
  return found.flatMap((step) => (step.starts.length < 2 ? step : step.starts.map((each, place) => ({ ...step, first: !place, starts: [each], leaves: place ? [] : step.leaves }))));
}

function draw(report) {
  const { turns = [], registers_per_thread = 0, shared_bytes = 0 } = report, calm = matchMedia("(prefers-reduced-motion: reduce)");
  let variant, told, blocks, steps, { blocks: asked, threads } = report.variants[0].placement, pattern = 0, now = 0;
  const event = h("p", { class: "event" }), about = h("p", { class: "subtitle" }), queue = h("p", { class: "queue", "aria-hidden": "true" });
  const floor = h("div", { class: "floor" }), line = h("div", { class: "to-come" }), picture = h("div", { class: "floors", role: "img" }, floor, line), legend = h("ul", { class: "legend", "aria-label": "Legend" });

  const fitting = (size) => blocksOf(sharesOf(variant.limits, size, registers_per_thread, shared_bytes));
  const lasts = (time) => `${number(time)} ${told.unit}${time === 1 ? "" : "s"}`;
  function stays(many, resident) {
    const [, each] = turns[pattern];
    return placed(Array.from({ length: many }, (_, block) => each[block % each.length]), variant.placement.multiprocessors, resident);
  }
  /** A run's placement as it was, or that of the numbers that are pushed. */
  function made() {
    const { placement, limits } = variant, { multiprocessors } = placement;
    if (!limits) return placement;
    const resident = fitting(threads), found = stays(asked, resident), wave = multiprocessors * resident, shown = placement.shown;
    return { ...placement, blocks: asked, threads, resident, shown, waves: Math.ceil(asked / wave), ...tailOf(found, multiprocessors, resident),
      placed: found.map((stay, block) => [block, ...stay, Math.floor(block / wave) + 1]) };
  }

  /** Who is there after a step, who still waits, and which multiprocessors have none. */
  function state(step) {
    const { time } = steps[step], here = blocks.filter(({ at, end }) => at <= step && end > time), busy = new Set(here.map(({ home }) => home));
    return { here, waits: blocks.filter(({ at }) => at > step), idle: told.shown.filter((index) => !busy.has(index)) };
  }
  function ending() {
    if (told.empty < NOBODY) return "All places were taken to the end: there was no tail.";
    const tail = `In the tail, the last ${percent(1 - told.tail / told.end)} of the time, `, places = `${percent(told.empty)} of the places were free.`;
    if (told.idle < NOBODY) return `${tail}every multiprocessor had a block, but ${places}`;
    return `${tail}multiprocessors had no block for ${percent(told.idle)} of their time${told.resident > 1 ? `, and ${places}` : "."}`;
  }
  /** What happened, why, and what comes next. */
  function sentence(step) {
    const { time, first, starts, leaves } = steps[step], { here, waits, idle } = state(step), all = told.shown.length * told.resident;
    const numbers = (list) => list.map(({ block }) => block), homes = (list) => [...new Set(list.map(({ home }) => home))];
    let said = `${they("block", numbers(leaves), " leaves", " leave")} ${they("multiprocessor", homes(leaves))}`;
    if (starts.length === 1) {
      const [{ block, home, before }] = starts, beside = here.filter((each) => each.home === home && each.block !== block);
      said = `block ${block} starts on multiprocessor ${home}, ` + (before ? `where block ${before.block} has left` : beside.length ? `beside ${they("block", numbers(beside))}` : "which has none yet");
    } else if (starts.length) said = `${they("block", numbers(starts), "", " start")} on ${they("multiprocessor", homes(starts))}${leaves.length ? `, where ${they("block", numbers(leaves), " has left", " have left")}` : ""}`;
    const left = blocks.filter((block) => block.start >= time), few = left.length < told.shown.length && [...left, ...here].every((block) => block.start === time);
    const next = waits[0], places = `${all === 1 ? "The only place is" : `All ${number(all)} places are`} taken`;
    said += step === steps.length - 1 ? `: the grid is over. ${ending()}`
      : few && first && starts.length ? `: ${count(left.length, "block")} for ${count(told.shown.length, "multiprocessor")} leave${left.length === 1 ? "s" : ""} ${told.shown.length - left.length} idle.`
      : !next ? `: nobody waits any more${idle.length ? `, and ${they("multiprocessor", idle, " idles", " idle")}` : here.length < all ? ", so places stay free" : ""}.`
      : next.start === time ? (step ? `. Next is block ${next.block}, on multiprocessor ${next.home}: none has more room.` : ". Each multiprocessor gets one before any gets a second.")
      : here.length === all ? `. ${places}: ${they("block", numbers(waits), " waits", " wait")}.`
      : `. Block ${next.block} waits for multiprocessor ${next.home}, its own, which is full.`;
    return capital(said);
  }

  function show(step) {
    const falling = step === now + 1 && !calm.matches && steps[step].starts.length <= FALLING, { time } = steps[step], { here, waits } = state(step);
    now = step;
    event.replaceChildren(h("b", {}, time ? `After ${lasts(time)}: ` : "At the start: "), sentence(step));
    for (const { at, end, element } of blocks) {
      element.hidden = at > step;
      element.toggleAttribute("data-over", end <= time && at <= step);
      if (falling && at === step) element.animate([{ transform: `translateY(-${floor.clientHeight}px)`, opacity: 0 }, {}], 280);
    }
    line.style.setProperty("--at", time / told.end);
    floor.toggleAttribute("data-tail", told.empty >= NOBODY && time >= told.tail && !waits.length);
    queue.replaceChildren("Waiting: ", ...waits.slice(0, WAITING).map(({ block, hue }) => h("i", { style: `--hue: ${hue}` }, `${block}`)),
      waits.length > WAITING ? ` and ${number(waits.length - WAITING)} more` : waits.length ? "" : "nobody");
    picture.setAttribute("aria-label", `${count(told.shown.length, "multiprocessor")}: ${here.length} of ${count(told.shown.length * told.resident, "place")} taken, ${count(waits.length, "block")} waiting`);
  }

  /** Blocks in the places of their multiprocessors, each in the first that is free. */
  function build(step) {
    told = made();
    const rooms = new Map(told.shown.map((index) => [index, { free: Array(told.resident).fill(), there: [] }])), dense = told.shown.length > NUMBERED;
    blocks = told.placed.map(([block, home, start, end, wave]) => {
      const { free, there } = rooms.get(home), place = Math.max(0, free.findIndex((each) => !each || each.end <= start)), hue = (205 + 67 * (wave - 1)) % 360;
      const parts = { left: place / told.resident, width: 1 / told.resident, top: start / told.end, height: (end - start) / told.end };
      const element = h("span", { style: `--hue: ${hue};${Object.entries(parts).map(([name, part]) => `${name}: ${100 * part}%`).join(";")}`,
        title: `Block ${block}, wave ${wave}: multiprocessor ${home}, from ${number(start)} to ${lasts(end)}` }, dense ? "" : `${block}`);
      there.push(element);
      return (free[place] = { block, home, start, end, hue, wave, before: free[place], element });
    });
    steps = stepsOf(blocks);
    steps.forEach(({ starts }, step) => starts.forEach((block) => (block.at = step)));
    const every = [1, 2, 4, 8, 16, 32].find((each) => told.shown.length <= each * NUMBERED) ?? 64;
    floor.replaceChildren(...told.shown.map((index, place) => h("div", {}, h("b", {}, place % every ? "" : `${index}`),
      h("div", {}, h("i", { class: "tail", style: `top: ${(100 * told.tail) / told.end}%` }), ...rooms.get(index).there))));
    floor.toggleAttribute("data-dense", dense);
    about.textContent = `${count(told.blocks, "block")} of ${count(told.threads, "thread")}, ${told.resident} at once on each of ${count(told.multiprocessors, "multiprocessor")}: ${count(told.waves, "wave")}, ${lasts(told.end)}. Time runs downwards.${told.in_turn ? " The kernel reads %smid, so each block waits for its own multiprocessor." : ""}`
      + (blocks.length < told.blocks ? ` Drawn: ${count(blocks.length, "block")} on ${count(told.shown.length, "multiprocessor")}.` : "");
    legend.replaceChildren(...[...new Map(blocks.map(({ wave, hue }) => [wave, hue]))].slice(0, WAVES).map(([wave, hue]) => h("li", {}, h("i", { style: `--hue: ${hue}` }), `wave ${wave}`)),
      h("li", {}, h("i", { class: "tail" }), "tail: free, and nobody waits"));
    let taken = 0;
    const heights = steps.map(({ starts, leaves }) => [(taken += starts.length - leaves.length), "c"]);
    player.strip.replaceChildren(bars(heights, steps.length, told.shown.length * told.resident));
    player.resize(steps.length);
    player.go(step ?? steps.length - 1);
    levels();
  }
  /** What other grids and sizes would come to: the strips over which they are pushed. */
  function levels() {
    const { limits, grids = [], sizes = [] } = variant;
    sliders.hidden = lengths.hidden = !limits;
    if (!limits) return;
    let end = 0;
    const ends = stays(Math.max(...grids), told.resident).map((stay) => (end = Math.max(end, stay[2])));
    grid.resize(grids.map((many) => [many, number(ends[many - 1])]), end);
    grid.go(grids.indexOf(asked));
    const fit = sizes.map(fitting);
    size.resize(sizes.map((each, place) => [each, fit[place]]), Math.max(...fit));
    size.go(sizes.indexOf(threads));
  }
  const grid = pushed("Blocks in the grid, and turns until all are over", (place) => ((asked = variant.grids[place]), build()));
  const size = pushed("Threads per block, and blocks that fit on a multiprocessor", (place) => ((threads = variant.sizes[place]), build()));
  const sliders = h("div", { class: "requests" }, grid.element, size.element);
  const player = playback({ title: "Places taken", show, describe: (step) => `after ${lasts(steps[step].time)}: ${sentence(step)}`, hold: (step) => (steps[step].first ? 1.4 : 0.7) });
  player.element.prepend(h("div", { class: "words" }, event));

  function choose(index, step) {
    variant = report.variants[index];
    const { grids = [], sizes = [], placement } = variant;
    asked = grids.find((many) => many >= asked) ?? grids.at(-1) ?? placement.blocks;
    threads = sizes.find((each) => each >= threads) ?? sizes.at(-1) ?? placement.threads;
    build(step);
  }
  const lengths = select("Blocks stay", turns.map(([label]) => label), (chosen) => ((pattern = chosen), build()));
  const root = group(`Block placement: ${report.title}`, "block-placement", player.keydown,
    h("div", { class: "heading" }, h("b", {}, report.title), h("span", { class: "choices" }, select(turns.length ? "Device" : "Run", report.variants.map(({ label }) => label), choose), lengths)),
    sliders, about, queue, picture, player.element, legend);
  choose(0, 0);
  return { element: root, stop: player.stop };
}

export default widget(draw);
