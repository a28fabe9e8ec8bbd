// The timeline: warps against clocks, what each scheduler issues, and what the others wait for.
import { bars, group, h, playback, pushed, ranges, select, svg, widget } from "./controls.js";

const ROOM = 236, GAP = 4; // pixels for all rows, between schedulers
const LETTERS = 8; // pixels of a clock from which on pipes are written in it
const QUIET = 0.07; // how long a clock stands in which nothing changes
const VIEWS = [40, 80, 160, 320];
// A wait is one band or two: top and height of each, in tenths of its row.
const BANDS = { m: [[2, 6]], g: [[2, 2], [6, 2]], s: [[3, 4]], o: [[3, 1], [6, 1]], w: [[4, 2]], j: [[3, 1], [6, 1]], b: [[2, 1], [5, 1], [8, 1]], p: [[6, 3]], n: [[2, 6]], lost: [[4, 2]] };

const unpacked = (text) => text.replace(/(\D)(\d*)/g, (_, each, times) => each.repeat(times || 1));
const issues = (state) => state >= "A" && state <= "Z";
/** "Warps 0–3 wait", or how many where a list is long, with the form of the verb that fits. */
function they(noun, numbers, one, many = one) {
  const { length } = numbers, listed = ranges([...numbers].sort((a, b) => a - b));
  const who = listed.length > 12 ? `${length} ${noun.toLowerCase()}s` : `${noun}${length > 1 ? "s" : ""} ${listed}`;
  return `${who} ${length > 1 ? many : one}`;
}

/** Those of equal keys together. */
function grouped(pairs) {
  const found = new Map();
  for (const [key, each] of pairs) found.set(key, [...(found.get(key) ?? []), each]);
  return [...found];
}

/** Draws a row into paths by state, in pixels. */
function shapes(states, top, width, height, into, lost) {
  for (let from = 0, to; from < states.length; from = to) {
    const state = states[from];
    for (to = from + 1; !issues(state) && states[to] === state; ) to++;
    const kind = lost && !issues(state) ? "lost" : state, gap = issues(state) && width > 3 ? 0.5 : 0;
    for (const [at, part] of issues(state) ? [[0.3, 9.4]] : BANDS[kind] ?? [])
      into[kind] = (into[kind] ?? "") + `M${from * width + gap} ${top + (at * height) / 10}h${(to - from) * width - 2 * gap}v${(part * height) / 10}H${from * width + gap}z`;
  }
}
const drawn = (paths) => Object.entries(paths).map(([state, d]) => svg("path", { d, "data-slot": state }));

/** A variant's texts with a character per clock, its rows, and what its slots came to so far. */
function opened(variant) {
  const warps = variant.warps.map((warp) => ({ ...warp, states: unpacked(warp.states), lines: unpacked(warp.lines), causes: unpacked(warp.causes) }));
  const slots = variant.slots.map(unpacked), so_far = {};
  slots.forEach((each) => [...each].forEach((state, clock) => {
    const kind = issues(state) ? "used" : state;
    (so_far[kind] ??= new Array(variant.clocks).fill(0))[clock]++;
  }));
  for (const counts of Object.values(so_far)) counts.forEach((_, clock) => clock && (counts[clock] += counts[clock - 1]));
  const rows = slots.flatMap((states, scheduler) => [{ scheduler, states }, ...warps.filter((warp) => warp.scheduler === scheduler)]);
  const height = Math.max(7, Math.min(20, Math.floor((ROOM - GAP * slots.length) / rows.length)));
  rows.forEach((row, place) => (row.top = place * height + GAP * row.scheduler));
  return { warps, slots, so_far, rows, height, lines: new Map(variant.lines.map((line) => [line.mark, line])) };
}

function draw(report) {
  const { knobs = [], start = 0 } = report;
  let variant, chart, width = 8, inView = VIEWS[1], clock = 0;
  const waits = Object.fromEntries(report.waits.map(([mark, name, what]) => [mark, { name, what }]));
  let index = start;
  const strides = knobs.map((_, place) => knobs.slice(place + 1).reduce((all, { values }) => all * values.length, 1));
  const at = (place) => Math.floor(index / strides[place]) % knobs[place].values.length;
  /** The variant with another value of one knob. */
  const turned = (place, to) => index + (to - at(place)) * strides[place];
  const event = h("p", { class: "event" }), about = h("p", { class: "subtitle" }), left = h("p", { class: "subtitle" });
  const names = h("div", { class: "row-names", "aria-hidden": "true" }), picture = svg("svg", { role: "img" }), now = h("div", { class: "now" });
  const scroller = h("div", { class: "clocks", tabindex: 0, role: "group", "aria-label": "Warps against clocks",
    onpointermove: point, onclick: (press) => go(over(press).clock), onpointerleave: () => say() }, picture, now);
  const machine = h("div", { class: "multiprocessor", role: "img" }), tally = h("div", { class: "tally", "aria-hidden": "true" }), counted = h("p", { class: "subtitle" });
  const legend = h("ul", { class: "legend", "aria-label": "Legend" });
  let boxes = [];

  const lineOf = (mark) => chart.lines.get(mark);
  const code = ({ line, source, function: inside }) => [`line ${line}${inside ? ` of ${inside}` : ""}`, ": ", h("code", {}, source)];
  const pipeName = (mark) => variant.multiprocessor.pipes.find(([pipe]) => pipe === mark)[1];
  const issuedBy = (scheduler, when) => chart.warps.find((warp) => warp.scheduler === scheduler && issues(warp.states[when]));

  /** When a wait began; at the start what began before the window. */
  function since({ states, causes }, when) {
    let first = when;
    while (first && states[first - 1] === states[when] && causes[first - 1] === causes[when]) first--;
    return first;
  }
  function waitOf(warp, when) {
    const cause = lineOf(warp.causes[when]);
    const { what } = waits[warp.states[when]];
    return `${what}${cause ? `${what === "memory" ? "," : " of"} line ${cause.line}` : ""}`;
  }
  const from = (warps, when) => {
    const [first, last] = [Math.min, Math.max].map((most) => variant.first + most(...warps.map((warp) => since(warp, when))));
    return last && last === variant.first ? `since before clock ${variant.first}` : last > first ? `since clocks ${first} to ${last}` : `since clock ${first}`;
  };

  /** Who issues, who waits for what, and who could have issued, too: texts and code. */
  function sentence(when) {
    const said = [];
    const issued = chart.slots.flatMap((slots, scheduler) => (issues(slots[when]) ? [[scheduler, issuedBy(scheduler, when)]] : []));
    const groups = grouped(issued.map(([scheduler, warp]) => [warp ? warp.lines[when] + warp.states[when] : "", [scheduler, warp]]));
    const several = groups.length > 1; // room for three lines
    groups.forEach(([mark, members], place) => {
      said.push(they("Scheduler", members.map(([scheduler]) => scheduler), "issues ", "issue "));
      if (mark) said.push(they("warp", members.map(([, { warp }]) => warp), `(${pipeName(mark[1])}), `), ...code(lineOf(mark[0])).slice(0, place ? 1 : 3), ". ");
      else said.push("a warp that is not shown. ");
    });
    const without = (idle) => chart.slots.flatMap((slots, scheduler) => (issues(slots[when]) || (slots[when] === ".") !== idle ? [] : [scheduler]));
    const lost = without(false), idle = without(true);
    if (!issued.length) said.push("Nobody issues. ");
    else if (lost.length) said.push(they("Scheduler", lost, "loses the slot. ", "lose their slots. "));
    if (idle.length) said.push(they("Scheduler", idle, "has no warp. ", "have no warp. "));
    const waiting = chart.warps.filter(({ states }) => waits[states[when]] && states[when] !== "n");
    for (const [what, warps] of grouped(waiting.map((warp) => [waitOf(warp, when), warp])).sort((a, b) => b[1].length - a[1].length).slice(0, several ? 1 : 2))
      said.push(they("Warp", warps.map(({ warp }) => warp), "waits", "wait"), ` for ${what} (${from(warps, when)}). `);
    const ready = chart.warps.filter(({ states }) => states[when] === "n").map(({ warp }) => warp);
    if (ready.length) said.push(they("Warp", ready, "could have issued, too."));
    return said;
  }
  const percent = ({ used, clocks, slots }) => Math.round((100 * used) / (clocks * slots.length));
  const lostTo = (rows) => rows.filter(([kind, number]) => kind !== "used" && number).sort((a, b) => b[1] - a[1]).map(([kind, number]) => `${number} ${waits[kind]?.what ?? "no warp"}`).join(", ") || "none";
  const say = () => event.replaceChildren(h("b", {}, `Clock ${variant.first + clock}. `), ...sentence(clock));

  /** The row and the clock under the pointer. */
  function over({ clientX, clientY }) {
    const box = picture.getBoundingClientRect(), x = Math.floor((clientX - box.left) / width), y = clientY - box.top;
    const row = chart.rows.find(({ top }) => y >= top && y < top + chart.height);
    return { row, clock: x };
  }
  function point(moved) {
    const { row, clock: when } = over(moved);
    if (!row?.states[when]) return;
    const state = row.states[when], warp = row.lines, wait = waits[state];
    event.replaceChildren(warp ? `Warp ${row.warp} of block ${row.block}` : `Scheduler ${row.scheduler}`, `, clock ${variant.first + when}: `,
      ...(issues(state) ? [`issues to ${pipeName(state)}`, ...(warp ? [", ", ...code(lineOf(warp[when]))] : [])]
        : warp ? [wait ? `waits for ${waitOf(row, when)} (${from([row], when)}; ${wait.name})` : "not there"]
          : ["the slot is lost; ", wait ? `most of its warps wait for ${wait.what}` : "it has no warp"]), ".");
  }

  function show(step) {
    const jumped = Math.abs(step - clock) > 1;
    clock = step;
    now.style.transform = `translateX(${clock * width}px)`;
    const here = clock * width, room = scroller.clientWidth;
    if (here < scroller.scrollLeft || here + width > scroller.scrollLeft + room) scroller.scrollLeft = here - room * (jumped ? 0.5 : 0.1);
    say();
    boxes.forEach(({ element, chip, pipes }, scheduler) => {
      const slots = chart.slots[scheduler], state = slots?.[clock], warp = slots && issuedBy(scheduler, clock);
      element.toggleAttribute("data-lost", !!slots && !issues(state));
      chip.textContent = !slots ? "not shown" : state === "." ? "no warp" : !issues(state) ? "lost" : warp ? `warp ${warp.warp}` : "a warp";
      if (issues(state) && !jumped && !calm.matches) chip.animate([{ transform: "translateX(-24px)" }, {}], 200);
      for (const [mark, interval, pipe] of pipes) {
        const issued = slots?.lastIndexOf(mark, clock) ?? -1;
        pipe.dataset.slot = issued === clock ? mark : "";
        pipe.toggleAttribute("data-busy", issued >= 0 && issued < clock && clock < issued + interval);
      }
    });
    const loads = chart.warps.filter(({ states }) => "mg".includes(states[clock])).length;
    memory.toggleAttribute("data-lit", chart.slots.some((slots) => slots[clock] === "L"));
    loading.textContent = loads ? `${loads} wait` : "";
    machine.setAttribute("aria-label", `Multiprocessor: ${boxes.map(({ chip }, scheduler) => `scheduler ${scheduler} ${chip.textContent}`).join(", ")}`);
    const all = chart.slots.length;
    const rows = Object.entries(chart.so_far).map(([kind, counts]) => [kind, counts[clock]]);
    rows.forEach(([kind, number]) => (tally.querySelector(`[data-slot="${kind}"]`).style.width = `${(100 * number) / all / variant.clocks}%`));
    counted.replaceChildren("So far ", h("b", {}, `${chart.so_far.used?.[clock] ?? 0} of ${all * (clock + 1)}`), ` issue slots used; lost: ${lostTo(rows)}.`);
  }

  /** All rows in pixels, so that `inView` clocks have room. */
  function paint() {
    if (!chart) return;
    const { rows, height } = chart, whole = rows.at(-1).top + height;
    width = Math.max(2, (scroller.clientWidth || 480) / Math.min(inView, variant.clocks));
    const paths = { tick: "" }, texts = [];
    for (const { states, top, warp } of rows) {
      shapes(states, top, width, height, paths, warp == null);
      if (width < LETTERS || height < 10 || warp == null) continue;
      const places = [...states].flatMap((state, place) => (issues(state) ? [place] : []));
      texts.push(svg("text", { x: places.map((place) => (place + 0.5) * width - 3).join(" "), y: top + height / 2 + 3.5 }, places.map((place) => states[place]).join("")));
    }
    let every = 5;
    while (every * width < 44) every *= 2;
    for (let tick = (every - (variant.first % every)) % every; tick < variant.clocks; tick += every) {
      paths.tick += `M${tick * width} 0h.5V${whole + 12}h-.5z`;
      texts.push(svg("text", { class: "tick", x: tick * width + 2, y: whole + 12 }, `${variant.first + tick}`));
    }
    picture.setAttribute("width", variant.clocks * width);
    picture.setAttribute("height", whole + 14);
    picture.replaceChildren(...drawn(paths), ...texts);
    now.style.width = `${width}px`;
    show(clock);
  }

  const memory = h("div", { class: "store" }), loading = h("span", {});
  function build() {
    const { schedulers, pipes, registers, memory: bytes } = variant.multiprocessor;
    boxes = Array.from({ length: schedulers }, (_, scheduler) => {
      const chip = h("b", { class: "chip" });
      const lit = pipes.filter(([, , units]) => units).map(([mark, name, units, interval]) => [mark, interval, h("span", { class: "pipe" }, name, h("small", {}, `${Math.round(10 * units) / 10}`))]);
      return { chip, pipes: lit, element: h("div", { class: "scheduler" }, h("p", {}, `Scheduler ${scheduler} `, chip), ...lit.map(([, , pipe]) => pipe)) };
    });
    memory.replaceChildren("L1 and shared ", h("small", {}, bytes), loading);
    machine.replaceChildren(...boxes.map(({ element }) => element), h("div", { class: "store" }, "Registers ", h("small", {}, registers)), memory);
  }
  function choose(chosen) {
    index = chosen;
    variant = report.variants[index];
    chart = opened(variant);
    const { rows, height } = chart, { clocks, slots, device } = variant;
    names.replaceChildren(...rows.map(({ warp, scheduler, top }) => h("span", { style: `top: ${top}px; height: ${height}px; font-size: ${Math.min(10, height)}px` }, ...(warp == null ? [h("b", {}, `scheduler ${scheduler}`)] : [`warp ${warp}`]))));
    about.replaceChildren(h("b", {}, `${percent(variant)} %`), ` used, clocks ${variant.first}–${variant.first + clocks - 1}, ${device}`);
    left.textContent = variant.left_out;
    picture.setAttribute("aria-label", `${variant.label}, ${chart.warps.length} warps: ${about.textContent}; lost: ${lostTo(Object.entries(variant.lost))}`);
    tally.replaceChildren(...Object.keys(chart.so_far).sort((a, b) => (b === "used") - (a === "used")).map((kind) => h("span", { "data-slot": kind })));
    knobs.forEach(({ values }, place) => {
      sliders[place].resize(values.map((value, to) => [value, percent(report.variants[turned(place, to)])]), 100);
      sliders[place].go(at(place));
    });
    build();
    const counts = Array.from({ length: clocks }, (_, when) => [chart.slots.filter((states) => issues(states[when])).length, "c"]);
    player.strip.replaceChildren(bars(counts, clocks, slots.length));
    key();
    paint();
    player.resize(clocks);
  }
  function key() {
    const seen = new Set(chart.warps.flatMap(({ states }) => [...states])), sample = (state, text) => {
      const paths = {};
      shapes(state === "lost" ? "." : state, 0, 18, 12, paths, state === "lost");
      return h("li", { title: waits[state]?.name }, svg("svg", { width: 18, height: 12, "aria-hidden": "true" }, ...drawn(paths),
        issues(state) ? svg("text", { x: 6, y: 9.5 }, state) : ""), text);
    };
    legend.replaceChildren(h("li", {}, "Issued to:"), ...variant.multiprocessor.pipes.filter(([mark]) => seen.has(mark)).map(([mark, name]) => sample(mark, name)),
      h("li", {}, "Waits for:"), ...report.waits.filter(([mark]) => seen.has(mark)).map(([mark, , what]) => sample(mark, mark === "n" ? "ready, not chosen" : what)), sample("lost", "slot lost"));
  }
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const same = (when) => when > 0 && chart.rows.every(({ states }) => states[when] === states[when - 1] && !issues(states[when]));
  const player = playback({
    title: "Schedulers that issue, in every clock",
    show,
    hold: (step) => (same(step) ? QUIET : 1),
    describe: (step) => `clock ${variant.first + step}: ${h("p", {}, ...sentence(step)).textContent}`,
  });
  const go = (when) => (player.stop(), player.go(when));
  function next() {
    let when = clock + 1;
    while (when < variant.clocks && same(when)) when++;
    go(when);
  }
  player.element.prepend(h("div", { class: "words" }, event));
  player.element.querySelector(".keys").after(h("button", { type: "button", class: "jump", onclick: next }, "Next change"));
  const zoom = select("In view", VIEWS.map((clocks) => `${clocks} clocks`), (index) => ((inView = VIEWS[index]), paint()));
  zoom.lastChild.selectedIndex = VIEWS.indexOf(inView);
  const sliders = knobs.map(({ name }, place) => pushed(`${name}, and % of slots used`, (to) => choose(turned(place, to))));
  const runs = select("Run", report.variants.map(({ label }) => label), choose);
  runs.lastChild.selectedIndex = start;
  const root = group(`Timeline: ${report.title}`, "timeline-view", player.keydown,
    h("div", { class: "heading" }, h("b", {}, report.title), about, h("span", { class: "choices" }, knobs.length ? null : runs, zoom)),
    h("div", { class: "requests" }, ...sliders.map(({ element }) => element)),
    h("div", { class: "chart-and-machine" }, h("div", { class: "chart-rows" }, names, scroller), machine), left,
    player.element, tally, counted, legend);
  new ResizeObserver(paint).observe(scroller);
  choose(start);
  return { element: root, stop: player.stop };
}

export default widget(draw);
