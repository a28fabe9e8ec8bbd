// The block mapper: a block's threads as the program numbers them, beside the warps the hardware cuts them into.
import { bars, group, h, playback, select, svg, widget } from "./controls.js";
import { cutSentence, shapeError, threadsOf } from "./warp_rules.js";

const COLOURS = 6; // warps take these tints in turn, so every run of a warp's threads carries its number
const FOLDS = [64, 32, 16]; // cells of a row before it goes on below
const CELL = { least: 6, beside: 9, labelled: 17, most: 24 }; // pixels
const FLIGHT = { each: 280, between: 120, all: 500 }; // milliseconds that the cells of a row take, and until the next row leaves
const OWN = "your own shape";
const GAP = 1.5;
const SLICE_GAP = 10;
const HEAD = 18; // room for the axis over a view
const MARGIN = { logical: 40, hardware: 50 }; // room for the names of its rows
const TALL = 120, LEGIBLE = 420; // pixels that one view should not exceed, and that it may for the sake of its numbers

/** "thread (5, 2, 0): linear 37 = 2·16 + 5 → warp 1, lane 5" */
function sentence({ x, y, z, linear, warp, lane }, [width, height, depth], name) {
  const row = depth > 1 ? `(${z}·${height} + ${y})` : `${y}`;
  const how = depth > 1 || height > 1 ? ` = ${row}·${width} + ${x}` : "";
  return `thread (${x}, ${y}, ${z}): linear ${linear}${how} → ${name} ${warp}, lane ${lane}`;
}

/** The size of a cell's number with so many digits, or 0 where it could not be read. */
function fontSize(size, digits) {
  const font = Math.min(10, (size - GAP) / (0.7 * Math.max(2, digits)));
  return font < 7.2 ? 0 : font;
}

/** One cell of a view; threads carry their place in linear order, idle lanes carry none; `tag`: the warp that begins here. */
function cell(column, row, size, thread, text, font, tag) {
  const at = { x: column * size, y: row * size };
  const box = svg("rect", { ...at, width: size - GAP, height: size - GAP, rx: Math.min(3, size / 6) });
  if (!thread) {
    const [left, top, reach] = [at.x, at.y, size - GAP];
    return svg("g", { class: "idle" }, box, svg("path", {
      d: `M${left} ${top + reach}l${reach} ${-reach}M${left} ${top + reach / 2}l${reach / 2} ${-reach / 2}M${left + reach / 2} ${top + reach}l${reach / 2} ${-reach / 2}`,
    }));
  }
  const middle = (size - GAP) / 2, both = tag && size >= 22;
  return svg("g", { "data-thread": thread.linear, "data-warp": thread.warp, "data-tint": thread.warp % COLOURS }, box,
    !tag || size < CELL.beside ? null : svg("text", { class: "tag", "font-size": Math.min(9, size / 2), x: at.x + middle, y: at.y + middle * (both ? 0.5 : 1) }, tag),
    !font || (tag && !both) ? null : svg("text", { "font-size": font, x: at.x + middle, y: at.y + middle * (both ? 1.42 : 1) }, text));
}

const label = (x, y, text) => svg("text", { class: "axis", x, y }, text);
const fit = (space, columns, rows) =>
  Math.max(CELL.least, Math.min(CELL.most, Math.floor((space / columns) * 2) / 2, Math.max(CELL.beside, Math.min(CELL.labelled, LEGIBLE / rows), TALL / rows)));
const picture = (width, height, ...children) =>
  svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" }, ...children);
const ticks = (left, top, columns, size, every) =>
  Array.from({ length: Math.ceil(columns / every) }, (_, tick) => svg("text", { class: "tick", x: left + (tick * every + 0.5) * size, y: top }, `${tick * every}`));

/** The longest row of cells in which numbers are legible, or at least cells are. */
function folded(space, long, lines) {
  const even = (fold) => (long > 2 * fold ? fold : Math.ceil(long / Math.ceil(long / fold))); // 20 on a phone are 10 and 10
  const options = FOLDS.map(even).map((columns) =>
    ({ columns, lines: Math.ceil(long / columns), size: fit(space, columns, lines * Math.ceil(long / columns)) }));
  return options.find(({ size }) => size >= CELL.labelled) ?? options.find(({ size }) => size >= CELL.beside) ?? options.at(-1);
}

/** How the two views share the width: columns, lines that a row takes, slices side by side, pixels a cell. */
function arrangement({ lanes, block: [width, height, depth] }, warps, space) {
  const beside = (space - MARGIN.logical - SLICE_GAP - MARGIN.hardware - 24) / (Math.min(width, 32) + lanes);
  if (beside >= CELL.labelled) {
    const columns = Math.min(width, 32), lines = Math.ceil(width / columns);
    const size = fit(beside, 1, Math.max(lines * height * depth, warps));
    return { logical: { columns, lines, across: 1, size }, hardware: { columns: lanes, lines: 1, size } };
  }
  const across = Math.max(1, Math.min(depth, Math.floor(space / (MARGIN.logical + Math.min(width, 32) * CELL.most + SLICE_GAP))));
  return {
    logical: { across, ...folded(space / across - MARGIN.logical - SLICE_GAP, width, height * Math.ceil(depth / across)) },
    hardware: folded(space - MARGIN.hardware, lanes, warps),
  };
}

/** x across, y down, z as slices; a row of more than FOLD threads continues on the next line. */
function logicalView({ block: [, height, depth] }, threads, { columns, lines, across, size }) {
  const [wide, tall] = [MARGIN.logical + columns * size + SLICE_GAP, HEAD + height * lines * size + 6];
  const font = fontSize(size, `${threads.length - 1}`.length);
  const children = [];
  for (let z = 0; z < depth; z++) {
    const [left, top] = [(z % across) * wide, Math.floor(z / across) * tall];
    const name = depth > 1 ? `z ${z}` : lines > 1 ? "" : "x →";
    children.push(label(left, top + 9, name), ...ticks(left + MARGIN.logical, top + 9, columns, size, 4));
    for (let line = 0; line < height * lines; line++) {
      if (size < 11 && line % 2) continue;
      children.push(label(left, top + HEAD + (line + 0.5) * size, line % lines ? `x ${(line % lines) * columns}` : `y ${line / lines}`));
    }
    const slice = svg("g", { transform: `translate(${left + MARGIN.logical} ${top + HEAD})` });
    slice.append(...threads.filter((thread) => thread.z === z).map((thread) => {
      const column = thread.x % columns, begins = !column || thread.lane === 0;
      return cell(column, thread.y * lines + Math.floor(thread.x / columns), size, thread, `${thread.linear}`, font, begins && `w${thread.warp}`);
    }));
    children.push(slice);
  }
  return picture(across * wide, Math.ceil(depth / across) * tall, ...children);
}

/** One row per warp, lanes across; where there is no room for a wide warp its row folds. */
function hardwareView({ lanes, name }, threads, { columns, lines, size }) {
  const warps = threads.at(-1).warp + 1;
  const pitch = Math.max(lines * size + (lines > 1 ? 5 : 0), warps > 24 ? 0 : 12.5);
  const font = fontSize(size, 2);
  const placed = new Map(threads.map((thread) => [thread.warp * lanes + thread.lane, thread]));
  const children = [label(0, 9, "lane →"), ...ticks(MARGIN.hardware, 9, columns, size, 8)];
  for (let warp = 0; warp < warps; warp++) {
    const top = HEAD + warp * pitch;
    if (pitch >= 11 || warp % 2 === 0) children.push(label(0, top + (lines * size) / 2 - 0.5, `${name} ${warp}`));
    children.push(svg("g", { transform: `translate(${MARGIN.hardware} ${top})` }, ...Array.from({ length: lanes }, (_, lane) =>
      cell(lane % columns, Math.floor(lane / columns), size, placed.get(warp * lanes + lane), `${lane}`, font))));
  }
  return picture(MARGIN.hardware + columns * size, HEAD + warps * pitch, ...children);
}

function draw(report) {
  let variant, threads, warps, cursor = 0, lit = -1; // lit: the warp played now, or -1 for all
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const cut = h("p", { class: "cut", role: "status" });
  const said = h("p", { class: "event" });
  const played = h("p", { class: "so-far" });
  const views = [
    { name: "The block as the program numbers it", place: "logical", picture: logicalView,
      keys: ([width, height]) => ({ ArrowLeft: -1, ArrowRight: 1, ArrowUp: -width, ArrowDown: width, PageUp: -width * height, PageDown: width * height }) },
    { name: "The warps as the hardware runs them", place: "hardware", picture: hardwareView,
      keys: () => ({ ArrowLeft: -1, ArrowRight: 1, ArrowUp: -variant.lanes, ArrowDown: variant.lanes }) },
  ].map((view) => {
    const map = h("div", { class: `map ${view.place}`, role: "slider", tabindex: 0, "aria-label": `${view.name}: thread`,
      "aria-valuemin": 0, onkeydown: (event) => {
        const by = view.keys(variant.block)[event.key];
        const to = event.key === "Home" ? 0 : event.key === "End" ? threads.length - 1 : cursor + by;
        if (Number.isNaN(to)) return;
        event.preventDefault();
        event.stopPropagation();
        if (threads[to]) point(to);
      } });
    for (const type of ["pointerover", "pointerdown"]) {
      map.addEventListener(type, ({ target }) => {
        const at = target.closest?.("[data-thread]");
        if (at) point(Number(at.dataset.thread));
      });
    }
    return { ...view, map };
  });
  const player = playback({
    title: "Threads in every warp",
    hold: (step) => (step ? 1 : 2),
    show(step) {
      const next = step === lit + 2;
      lit = step - 1;
      played.textContent = player.describe(step);
      root.classList.toggle("playing-warps", step > 0);
      for (const each of root.querySelectorAll("[data-warp]")) {
        const warp = Number(each.dataset.warp);
        each.classList.toggle("lit", warp === lit);
        each.classList.toggle("arrived", warp <= lit);
      }
      if (next && !calm.matches) fly();
    },
    describe(step) {
      if (!step) return `all ${warps.length} ${variant.name}${warps.length === 1 ? "" : "s"}`;
      const members = warps[step - 1];
      const [from, to] = [members[0], members.at(-1)].map(({ x, y, z }) => `(${x}, ${y}, ${z})`);
      const idle = variant.lanes - members.length;
      return `${variant.name} ${step - 1}: threads ${from} to ${to}${idle ? `, ${idle} of ${variant.lanes} lanes idle` : ", every lane used"}`;
    },
  });

  /** The threads of the warp played now fly from the block to their lanes, a row of the block after the other. */
  function fly() {
    const [from, to] = views.map(({ map }) => (thread) => map.querySelector(`[data-thread="${thread.linear}"]`));
    const rows = [...new Set(warps[lit].map(({ y, z }) => `${y} ${z}`))];
    const wait = Math.min(FLIGHT.between, FLIGHT.all / rows.length);
    const flights = warps[lit].map((thread) => [thread, to(thread), from(thread).getBoundingClientRect(), to(thread).getBoundingClientRect()]);
    for (const [{ y, z }, cell, begin, end] of flights) {
      cell.animate([{ transform: `translate(${begin.x - end.x}px, ${begin.y - end.y}px) scale(${begin.width / end.width})` }, { transform: "none" }],
        { duration: FLIGHT.each, delay: wait * rows.indexOf(`${y} ${z}`), easing: "ease-in-out", fill: "backwards" });
    }
  }

  function point(thread) {
    cursor = thread;
    said.textContent = sentence(threads[cursor], variant.block, variant.name);
    for (const { map } of views) {
      map.setAttribute("aria-valuenow", cursor);
      map.setAttribute("aria-valuetext", said.textContent);
      map.querySelector(".cursor")?.classList.remove("cursor");
      const at = map.querySelector(`[data-thread="${cursor}"]`);
      at?.classList.add("cursor");
      at?.parentNode.append(at); // drawn last, so that its outline lies on top
    }
  }
  function layout() {
    const room = arrangement(variant, warps.length, maps.clientWidth || 700);
    for (const { map, place, picture: paint } of views) {
      map.setAttribute("aria-valuemax", threads.length - 1);
      map.replaceChildren(paint(variant, threads, room[place]));
    }
    point(Math.min(cursor, threads.length - 1));
  }
  /** Draw the block of this shape, cut into warps of so many lanes. */
  function cutBlock(block, lanes) {
    variant = { block, lanes, name: lanes > 32 ? "wave" : "warp" };
    threads = threadsOf(block, lanes);
    warps = Array.from({ length: threads.at(-1).warp + 1 }, (_, warp) => threads.slice(warp * lanes, (warp + 1) * lanes));
    cut.textContent = cutSentence(threads.length, lanes);
    lit = -1;
    layout();
    const repeats = warps.length > COLOURS; // a colour alone would not name its warp
    player.strip.replaceChildren(bars([[0], ...warps.map((members, warp) => [members.length, repeats ? "s" : warp])], warps.length + 1, lanes));
    player.resize(warps.length + 1);
    player.go(0);
  }
  const extents = [..."xyz"].map((axis) => h("input", { type: "number", min: 1, max: axis === "z" ? 64 : 1024, "aria-label": `Threads along ${axis}`, oninput: typed }));
  const width = select("Lanes", ["32", "64"], typed);
  function typed() {
    presets.lastChild.selectedIndex = report.variants.length;
    const block = extents.map(({ value }) => Number(value)), wrong = shapeError(block);
    for (const input of extents) input.setAttribute("aria-invalid", Boolean(wrong));
    cut.toggleAttribute("data-wrong", Boolean(wrong));
    if (wrong) cut.textContent = wrong;
    else cutBlock(block, Number(width.lastChild.value));
  }
  function choose(index) {
    const { block, lanes } = report.variants[index] ?? {};
    if (!block) return extents[0].focus();
    extents.forEach((input, axis) => (input.value = block[axis]));
    width.lastChild.selectedIndex = lanes > 32 ? 1 : 0;
    typed();
    presets.lastChild.selectedIndex = index;
  }
  const presets = select("Block", [...report.variants.map(({ label: text }) => text), OWN], choose);
  const maps = h("div", { class: "maps" }, ...views.map(({ name, map }) => h("div", {}, h("p", { class: "subtitle" }, name), map)));
  const root = group(`Block mapper: ${report.title}`, "block-mapper", (event) => player.keydown(event),
    h("div", { class: "heading" }, h("b", {}, report.title)),
    h("div", { class: "shape" }, ...extents.flatMap((input, axis) => (axis ? ["×", input] : [input])), "threads", width, presets), cut,
    maps, player.element);
  player.element.prepend(said, played); // in sight wherever the pointer is
  choose(0);
  let laid = 0; // laid out anew when the width changes, never for a change of height
  const resized = new ResizeObserver(() => {
    if (maps.clientWidth === laid) return;
    laid = maps.clientWidth;
    layout();
    player.redraw();
  });
  resized.observe(maps);
  return { element: root, stop: () => (resized.disconnect(), player.stop()) };
}

export default widget(draw);
