// The block mapper: a block's threads as the program numbers them, beside the warps the hardware cuts them into.
import { bars, group, h, playback, select, svg, widget } from "./controls.js";

const COLOURS = 6; // warps take these tints in turn; the hardware view names every warp
const FOLD = 32; // threads of a row before the logical view folds it
const CELL = { least: 6, beside: 9, labelled: 17, most: 24 }; // pixels
const GAP = 1.5;
const SLICE_GAP = 10;
const HEAD = 18; // room for the axis over a view
const MARGIN = { logical: 40, hardware: 50 }; // room for the names of its rows
const TALL = 420; // pixels that one view should not exceed

/** Threads of a variant in linear order, each with the warp and lane that the report puts it in. */
function threadsOf({ warps, block: [width, height] }) {
  const threads = warps.flatMap(({ warp, threads: members }) => members.map(([x, y, z], lane) => ({ x, y, z, warp, lane })));
  for (const thread of threads) thread.linear = (thread.z * height + thread.y) * width + thread.x;
  return threads.sort((a, b) => a.linear - b.linear);
}

/** "thread (5, 2, 0): linear 37 = 2·16 + 5 → warp 1, lane 5" */
function sentence({ x, y, z, linear, warp, lane }, [width, height, depth]) {
  const row = depth > 1 ? `(${z}·${height} + ${y})` : `${y}`;
  const how = depth > 1 || height > 1 ? ` = ${row}·${width} + ${x}` : "";
  return `thread (${x}, ${y}, ${z}): linear ${linear}${how} → warp ${warp}, lane ${lane}`;
}

/** The size of a cell's number with so many digits, or 0 where it could not be read. */
function fontSize(size, digits) {
  const font = Math.min(10, (size - GAP) / (0.7 * Math.max(2, digits)));
  return font < 8 ? 0 : font;
}

/** One cell of a view; threads carry their place in linear order, idle lanes carry none. */
function cell(column, row, size, thread, text, font) {
  const at = { x: column * size, y: row * size };
  const box = svg("rect", { ...at, width: size - GAP, height: size - GAP, rx: Math.min(3, size / 6) });
  if (!thread) {
    const [left, top, reach] = [at.x, at.y, size - GAP];
    return svg("g", { class: "idle" }, box, svg("path", {
      d: `M${left} ${top + reach}l${reach} ${-reach}M${left} ${top + reach / 2}l${reach / 2} ${-reach / 2}M${left + reach / 2} ${top + reach}l${reach / 2} ${-reach / 2}`,
    }));
  }
  return svg("g", { "data-thread": thread.linear, "data-warp": thread.warp, "data-tint": thread.warp % COLOURS }, box,
    !font ? null : svg("text", { "font-size": font, x: at.x + (size - GAP) / 2, y: at.y + (size - GAP) / 2 }, text));
}

const label = (x, y, text) => svg("text", { class: "axis", x, y }, text);
const fit = (space, columns, rows) =>
  Math.max(CELL.least, Math.min(CELL.most, Math.floor((space / columns) * 2) / 2, Math.max(CELL.beside, TALL / rows)));
const picture = (width, height, ...children) =>
  svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" }, ...children);
const ticks = (left, top, columns, size, every) =>
  Array.from({ length: Math.ceil(columns / every) }, (_, tick) => svg("text", { class: "tick", x: left + (tick * every + 0.5) * size, y: top }, `${tick * every}`));

/** How the two views share the width: columns, lines that a row takes, slices side by side, pixels a cell. */
function arrangement({ lanes, warps, block: [width, height, depth] }, space) {
  const columns = Math.min(width, FOLD);
  const lines = Math.ceil(width / FOLD);
  const across = Math.max(1, Math.min(depth, Math.floor(space / (MARGIN.logical + columns * CELL.most + SLICE_GAP))));
  const rows = lines * height * Math.ceil(depth / across);

  const beside = (space - MARGIN.logical - SLICE_GAP - MARGIN.hardware - 24) / (columns + lanes);
  if (beside >= CELL.labelled || (beside >= CELL.beside && (rows + warps.length) * CELL.most > TALL)) {
    const size = fit(beside, 1, Math.max(lines * height * depth, warps.length));
    return { logical: { columns, lines, across: 1, size }, hardware: { columns: lanes, lines: 1, size } };
  }
  const folded = lanes > FOLD && (space - MARGIN.hardware) / lanes < CELL.beside ? FOLD : lanes;
  return {
    logical: { columns, lines, across, size: fit(space / across - MARGIN.logical - SLICE_GAP, columns, rows) },
    hardware: { columns: folded, lines: lanes / folded, size: fit(space - MARGIN.hardware, folded, (warps.length * lanes) / folded) },
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
      children.push(label(left, top + HEAD + (line + 0.5) * size, lines > 1 ? `x ${(line % lines) * columns}` : `y ${line}`));
    }
    const slice = svg("g", { transform: `translate(${left + MARGIN.logical} ${top + HEAD})` });
    slice.append(...threads.filter((thread) => thread.z === z).map((thread) =>
      cell(thread.x % columns, thread.y * lines + Math.floor(thread.x / columns), size, thread, `${thread.linear}`, font)));
    children.push(slice);
  }
  return picture(across * wide, Math.ceil(depth / across) * tall, ...children);
}

/** One row a warp, lanes across; where there is no room for a wide warp its row folds. */
function hardwareView({ lanes, warps }, threads, { columns, lines, size }) {
  const pitch = Math.max(lines * size + (lines > 1 ? 5 : 0), warps.length > 24 ? 0 : 12.5);
  const font = fontSize(size, 2);
  const placed = new Map(threads.map((thread) => [thread.warp * lanes + thread.lane, thread]));
  const children = [label(0, 9, "lane →"), ...ticks(MARGIN.hardware, 9, columns, size, 8)];
  warps.forEach(({ warp }, index) => {
    const top = HEAD + index * pitch;
    if (pitch >= 11 || index % 2 === 0) children.push(label(0, top + (lines * size) / 2 - 0.5, `warp ${warp}`));
    children.push(svg("g", { transform: `translate(${MARGIN.hardware} ${top})` }, ...Array.from({ length: lanes }, (_, lane) =>
      cell(lane % columns, Math.floor(lane / columns), size, placed.get(warp * lanes + lane), `${lane}`, font))));
  });
  return picture(MARGIN.hardware + columns * size, HEAD + warps.length * pitch, ...children);
}

function draw(report) {
  let variant, threads, cursor = 0, lit = -1; // lit: the warp played now, or -1 for all
  const said = h("p", { class: "event" });
  const played = h("p", { class: "so-far" });
  const views = [
    { name: "The block as the program numbers it", place: "logical", picture: logicalView,
      keys: ([width, height]) => ({ ArrowLeft: -1, ArrowRight: 1, ArrowUp: -width, ArrowDown: width, PageUp: -width * height, PageDown: width * height }) },
    { name: "The warps as the hardware runs them", place: "hardware", picture: hardwareView,
      keys: () => ({ ArrowLeft: -1, ArrowRight: 1, ArrowUp: -variant.lanes, ArrowDown: variant.lanes }) },
  ].map((view) => {
    const map = h("div", { class: "map", role: "slider", tabindex: 0, "aria-label": `${view.name}: thread`,
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
    show(step) {
      lit = step - 1;
      played.textContent = player.describe(step);
      root.classList.toggle("playing-warps", step > 0);
      for (const each of root.querySelectorAll("[data-warp]")) each.classList.toggle("lit", Number(each.dataset.warp) === lit);
    },
    describe(step) {
      if (!step) return `all ${variant.warps.length} warps`;
      const { warp, threads: members } = variant.warps[step - 1];
      const [from, to] = [members[0], members.at(-1)].map((place) => `(${place.join(", ")})`);
      const idle = variant.lanes - members.length;
      return `warp ${warp}: threads ${from} to ${to}${idle ? `, ${idle} of ${variant.lanes} lanes idle` : ", every lane used"}`;
    },
  });

  function point(thread) {
    cursor = thread;
    said.textContent = sentence(threads[cursor], variant.block);
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
    const room = arrangement(variant, maps.clientWidth || 700);
    for (const { map, place, picture: paint } of views) {
      map.setAttribute("aria-valuemax", threads.length - 1);
      map.replaceChildren(paint(variant, threads, room[place]));
    }
    point(Math.min(cursor, threads.length - 1));
  }
  function choose(index) {
    variant = report.variants[index];
    threads = threadsOf(variant);
    layout();
    player.strip.replaceChildren(bars([[0], ...variant.warps.map(({ warp, threads: members }) => [members.length, warp % COLOURS])],
      variant.warps.length + 1, variant.lanes));
    player.resize(variant.warps.length + 1);
    player.go(0);
  }
  const maps = h("div", { class: "maps" }, ...views.map(({ name, map }) => h("div", {}, h("p", { class: "subtitle" }, name), map)));
  const root = group(`Block mapper: ${report.title}`, "block-mapper", (event) => player.keydown(event),
    h("div", { class: "heading" }, h("b", {}, report.title), select("Block", report.variants.map(({ label: text }) => text), choose)),
    maps, player.element);
  player.element.prepend(said, played); // in sight wherever the pointer is
  choose(0);
  let width = 0; // laid out anew when the width changes, never for a change of height
  const resized = new ResizeObserver(() => {
    if (maps.clientWidth === width) return;
    width = maps.clientWidth;
    layout();
    player.redraw();
  });
  resized.observe(maps);
  return { element: root, stop: () => (resized.disconnect(), player.stop()) };
}

export default widget(draw);
