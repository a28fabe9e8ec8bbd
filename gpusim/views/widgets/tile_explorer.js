// The tile explorer: a tile coloured by bank whose rows slide as its pitch grows, and the queues at the banks.
import { capital, count, group, h, pushed, ranges, select, widget } from "./controls.js";
import { BANKS, BANK_WORD, bankPhases } from "./bank_rules.js";

const ROWS = 32;
const colour = (bank) => `hsl(${(360 * bank) / BANKS} 75% var(--shade))`;
const stripes = (bankAt) => `linear-gradient(90deg, ${Array.from({ length: BANKS }, (_, at) =>
  `${colour(bankAt(at))} ${(100 * at) / BANKS}% ${(100 * (at + 1)) / BANKS}%`).join(", ")})`;

function draw(report) {
  let variant, words, pitch, column = report.column, row = 0, across = false, swizzle, phases, cursor = 0;
  const event = h("p", { class: "event" });
  const formula = h("p", { class: "so-far" });
  const status = h("div", { class: "words", role: "status" }, event, formula);

  const rows = Array.from({ length: ROWS }, () => h("div", { class: "tile-row" }, h("div", { class: "sliding" }), h("div", { class: "swapped" })));
  const cells = rows.map(() => h("span", { class: "lane" }));
  const padding = h("div", { class: "padding" }), outline = h("div", { class: "outline" }), grid = h("div", { class: "elements" }), mark = h("div", { class: "mark-cell" });
  const tile = h("div", { class: "tile", role: "slider", tabindex: 0, "aria-label": "Element of the tile", "aria-valuemin": 0, onkeydown: keys,
    onpointermove: over, onpointerdown: (press) => { over(press); read(cursor); }, onpointerleave: say },
  ...rows, grid, padding, ...cells, outline, mark);
  const queues = h("div", { class: "queues" }), most = h("span", { class: "most" });
  const banks = h("div", { class: "bank-row" }, ...Array.from({ length: BANKS }, (_, bank) => h("span", { style: `background: ${colour(bank)}` }, `${bank}`)));

  const columnOf = (line, at) => (swizzle ? at ^ (line % variant.columns) : at);
  const wordOf = (line, at) => (line * pitch + columnOf(line, at)) * words;
  /** Row and column of what each lane reads; null where the row ends before it. */
  const placeOf = (lane) => {
    if (!across) return [lane, column];
    const at = lane % variant.columns;
    return at < pitch ? [row + Math.floor(lane / variant.columns), at] : null;
  };
  const phasesOf = () => bankPhases(Array.from({ length: 32 }, (_, lane) => {
    const place = placeOf(lane);
    return place && wordOf(...place) * BANK_WORD;
  }), variant.width);
  const total = () => phases.reduce((sum, { wavefronts }) => sum + wavefronts, 0);
  const put = (element, values) => Object.entries(values).forEach(([name, value]) => element.style.setProperty(`--${name}`, value));

  /** The first lanes that want different words of the bank that is wanted most. */
  function meeting() {
    const phase = phases.reduce((most, each) => (each.wavefronts > most.wavefronts ? each : most));
    const firstLane = (queue) => queue.values().next().value[0];
    const queue = phase.queues.filter(({ size }) => size === phase.wavefronts).reduce((first, each) => (firstLane(each) < firstLane(first) ? each : first));
    const bank = phase.queues.indexOf(queue), [[one, [lane]], [other, [second]]] = queue;
    const lanes = [...queue.values()].map(([first]) => first);
    const pair = `lanes ${lane} and ${second} want words ${one} and ${other}`;
    return lanes.length === 2 ? `${pair}, both of bank ${bank}` : `lanes ${ranges(lanes)} want different words of bank ${bank}: ${pair}`;
  }
  function say() {
    const what = across ? (words === 1 ? `Row ${row}` : "Rows " + ranges([row, row + 32 / variant.columns - 1])) : `Column ${column}`;
    const least = phases.length, waves = total();
    const turns = least > 1 ? ` The lanes come in ${least} phases of ${32 / least}, for they want ${32 * words} words of 32 banks.` : "";
    const why = waves > least ? `${capital(meeting())}.` : least > 1 ? "Within a phase no bank is wanted twice." : "No bank is wanted twice.";
    event.replaceChildren(h("b", {}, count(waves, "wavefront")), ` for ${what[0].toLowerCase()}${what.slice(1)}. ${why}${turns}`);
    const place = swizzle ? `row · ${pitch} + (column ^ row${words > 1 ? ` mod ${variant.columns}` : ""})` : `row · ${pitch} + column`;
    formula.textContent = `word = ${words > 1 ? `${words} · (${place})` : place}, bank = word mod ${BANKS}. `
      + (swizzle ? "The swizzle swaps columns within each row and needs no more memory." : pitch > variant.columns ? `Each row begins ${count((pitch * words) % BANKS, "bank")} further on; padding takes ${count(ROWS * (pitch - variant.columns) * variant.width, "byte")}.`
        : pitch < variant.columns ? `A tile of ${pitch} columns: each row begins ${count(BANKS - pitch * words, "bank")} earlier.` : "Each row begins in bank 0 again.");
  }
  /** Row, column, word, bank, and who else wants that bank. */
  function point(to) {
    cursor = Math.max(0, Math.min(ROWS * pitch - 1, to));
    const line = Math.floor(cursor / pitch), at = cursor % pitch;
    let said = `row ${line}, column ${at}: padding, nobody reads it`;
    if (at < variant.columns) {
      const word = wordOf(line, at), bank = word % BANKS;
      const lane = cells.findIndex((_, lane) => `${placeOf(lane)}` === `${[line, at]}`);
      const phase = phases.find(({ lanes }) => lanes.includes(lane));
      const others = phase ? [...phase.queues[bank].values()].flat().filter((other) => other !== lane) : [];
      said = `row ${line}, column ${at}: ${words > 1 ? `words ${word}–${word + words - 1}, banks ${bank}–${bank + words - 1}` : `word ${word}, bank ${bank}`}; `
        + (lane < 0 ? "no lane reads it now" : `lane ${lane} reads it${others.length ? `, and so ${others.length > 1 ? "do lanes" : "does lane"} ${ranges(others)} another word of bank ${bank}: a conflict` : ", alone at its bank"}`);
    }
    put(mark, { line, at });
    tile.setAttribute("aria-valuemax", ROWS * pitch - 1);
    tile.setAttribute("aria-valuenow", cursor);
    tile.setAttribute("aria-valuetext", said);
    return said;
  }
  function over({ clientX, clientY }) {
    const box = tile.getBoundingClientRect();
    const at = Math.floor(((clientX - box.left) / box.width) * pitch), line = Math.floor(((clientY - box.top) / box.height) * ROWS);
    if (at < 0 || at >= pitch || line < 0 || line >= ROWS) return;
    event.textContent = `${capital(point(line * pitch + at))}.`;
  }
  function keys(pressed) {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -pitch, ArrowDown: pitch }[pressed.key];
    if (pressed.key === "Enter") read(cursor);
    else if (by) event.textContent = `${capital(point(cursor + by))}.`;
    else return;
    pressed.preventDefault();
    pressed.stopPropagation();
  }
  function read(place) {
    const at = place % pitch;
    if (at < variant.columns) [row, column] = [Math.floor(place / pitch), at];
    show();
  }

  function show() {
    const last = Math.min(variant.columns, pitch) - 1, deep = 32 / variant.columns;
    column = Math.min(column, last);
    row = Math.min(row, ROWS - deep);
    phases = phasesOf();
    put(root, { pitch, cell: words, columns: variant.columns });
    root.toggleAttribute("data-swizzled", swizzle);
    rows.forEach((each, line) => {
      each.firstChild.style.backgroundPositionX = `calc(var(--unit) * ${line * (variant.columns - pitch) * words})`;
      each.lastChild.style.backgroundImage = swizzle ? stripes((at) => (columnOf(line, Math.floor(at / words)) * words + (at % words)) % BANKS) : each.lastChild.style.backgroundImage;
    });
    cells.forEach((cell, lane) => {
      const place = placeOf(lane);
      cell.hidden = !place;
      if (!place) return;
      const bank = wordOf(...place) % BANKS;
      put(cell, { line: place[0], at: place[1] });
      cell.style.background = `hsl(${(360 * bank) / BANKS} 75% 72%)`;
      cell.textContent = words > 1 ? `${bank}–${bank + words - 1}` : bank;
    });
    put(outline, across ? { line: row, at: 0, wide: last + 1, tall: deep } : { line: 0, at: column, wide: 1, tall: ROWS });
    let below = 0;
    phases.forEach((phase, number) => {
      phase.queues.forEach((queue, bank) => put(queues.children[number * BANKS + bank], { below, size: queue.size }));
      below += phase.wavefronts;
    });
    for (const bar of [...queues.children].slice(phases.length * BANKS, -1)) put(bar, { below, size: 0 });
    put(most, { below });
    most.textContent = below;
    slide.go(swizzle ? variant.wavefronts.length : pitch - variant.first_pitch);
    point(Math.min(cursor, ROWS * pitch - 1));
    say();
  }
  /** The places of the slider: every pitch, and behind them the swizzle. */
  const take = (place) => ([pitch, swizzle] = place < variant.wavefronts.length ? [variant.first_pitch + place, false] : [variant.columns, true]);
  const slide = pushed("Pitch: elements per row, and the wavefronts that each takes", (place) => {
    take(place);
    show();
  });
  function choose(index) {
    variant = report.variants[index];
    words = variant.width / BANK_WORD;
    [pitch, swizzle] = index || pitch ? [variant.columns, false] : [report.pitch, report.swizzle];
    queues.replaceChildren(...Array.from({ length: words * BANKS }, (_, at) => h("span", { style: `--bank: ${at % BANKS}` })), most);
    levels();
  }
  /** How many wavefronts every pitch takes: the strip over which it is pushed. */
  function levels() {
    const now = [pitch, swizzle];
    slide.resize([...variant.wavefronts, variant.swizzled].map((_, place) => {
      take(place);
      phases = phasesOf();
      return [swizzle ? "swizzle" : pitch, total()];
    }), 32);
    [pitch, swizzle] = now;
    show();
  }
  const root = group(`Tile explorer: ${report.title}`, "tile-explorer", null,
    h("div", { class: "heading" }, h("b", {}, report.title), h("span", { class: "choices" },
      select("Element", report.variants.map(({ label }) => label), choose),
      select("A warp reads", ["a column", "a row"], (which) => { across = which === 1; levels(); }))),
    slide.element, status,
    h("div", { class: "tile-and-banks" }, h("div", { class: "row-names", "aria-hidden": "true" }, ...[0, 8, 16, 24].map((line) => h("span", {}, h("i", {}, "row "), `${line}`))), tile,
      queues, banks, h("p", { class: "subtitle" }, "Banks 0–31, and who queues there: a box is a word, a level a wavefront.")));
  root.style.setProperty("--bank-colours", stripes((at) => at));
  choose(0);
  return { element: root, stop() {} };
}

export default widget(draw);
