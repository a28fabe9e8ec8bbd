// The memory chart: the kernel, the memories, the caches and DRAM, with arrows as thick as what went between them.
import { capital, count, group, h, select, svg, widget } from "./controls.js";

const KINDS = { load: "loads", store: "stores", atomic: "atomics" };
const HEAD = 10, LEAST = 1.5;
// along: where the boxes of each column begin and end; slot, most: the room of an arrow and its greatest thickness
const WIDE = { along: [[0, 58], [172, 280], [372, 458], [550, 648], [730, 790]], slot: 44, most: 20, gap: 14, wide: true };
const TALL = { along: [[0, 26], [92, 142], [202, 246], [306, 350], [410, 436]], across: 330, most: 16, gap: 8, wide: false };
const short = (number, wide) => (number < (wide ? 1e7 : 1e5) ? number.toLocaleString("en") : Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 }).format(number));
const sentence = ({ boxes }, { source, target, kind, counter, count: number, unit, bytes }) => {
  const name = (place) => boxes.find((box) => box.place === place).name;
  return `${name(source)} ${kind === "load" ? "←" : kind === "store" ? "→" : "↔"} ${name(target)}, ${KINDS[kind]}: ${count(number, unit)}, ${count(bytes, "byte")} (${counter})`;
};

/** Where each box begins and ends across the arrows: memories side by side, the caches and DRAM along those that pass them. */
function spans({ boxes, arrows }, { slot, across, gap }) {
  const memories = boxes.filter(({ column }) => column === 1);
  const slots = memories.map(({ place }) => Math.max(across ? 1.9 : 1, new Set(arrows.filter(({ source, target }) => source === place || target === place).map(({ kind }) => kind)).size));
  const size = slot ?? (across - gap * (memories.length - 1)) / slots.reduce((sum, each) => sum + each, 0);
  const found = {};
  let end = -gap;
  memories.forEach(({ place }, index) => (found[place] = [end + gap, (end += gap + slots[index] * size)]));
  const passing = arrows.filter(({ source }) => source in found).map(({ source }) => found[source][1]);
  for (const { place, column } of boxes) if (column !== 1) found[place] = [0, column ? Math.max(...passing) : end];
  return { found, end, size };
}

function picture(variant, layout, most) {
  const { along, wide } = layout, { found, end, size } = spans(variant, layout);
  const column = Object.fromEntries(variant.boxes.map((box) => [box.place, along[box.column]]));
  const xy = (m, c) => (wide ? `${m} ${c}` : `${c} ${m}`);
  const place = (m, c) => (wide ? { x: m, y: c } : { x: c, y: m });
  const drawn = [];
  for (const box of variant.boxes) {
    const [from, to] = column[box.place], [first, last] = found[box.place];
    const [left, top, width, height] = wide ? [from, first, to - from, last - first] : [first, from, last - first, to - from];
    const rows = [box.name, ...box.texts], middle = top + height / 2 - (rows.length - 1) * 7;
    drawn.push(svg("g", { class: "memory-box" }, svg("rect", { x: left, y: top, width, height, rx: 6 }),
      ...rows.map((text, row) => svg("text", { x: left + width / 2, y: middle + 14 * row, class: row ? null : "name" }, text))));
  }
  const between = {};
  for (const arrow of variant.arrows) (between[[arrow.source, arrow.target]] ??= []).push(arrow);
  for (const [way, arrows] of Object.entries(between)) {
    const [source, target] = way.split(",");
    const [first, last] = column[target][0] ? found[source in found && column[source][0] ? source : target] : found[target];
    arrows.forEach((arrow, index) => {
      const [from, to] = [column[source][1] + 4, column[target][0] - 4];
      const at = first + ((index + 0.5) * (last - first)) / arrows.length + (wide ? 7 : 0);
      const half = Math.max(LEAST, (layout.most * arrow.bytes) / most) / 2, wing = half + 4;
      const [back, front] = [arrow.kind === "store" ? from : from + HEAD, arrow.kind === "load" ? to : to - HEAD];
      const heads = (arrow.kind === "store" ? "" : `M${xy(from, at)}L${xy(from + HEAD, at - wing)}L${xy(from + HEAD, at + wing)}Z`)
        + (arrow.kind === "load" ? "" : `M${xy(to, at)}L${xy(to - HEAD, at - wing)}L${xy(to - HEAD, at + wing)}Z`);
      const d = `M${xy(back, at - half)}L${xy(front, at - half)}L${xy(front, at + half)}L${xy(back, at + half)}Z${heads}`;
      const words = wide && arrow.unit === "request" ? `${short(arrow.count, wide)} ${KINDS[arrow.kind].slice(0, arrow.count === 1 ? -1 : undefined)}` : short(arrow.count, wide);
      drawn.push(svg("g", { "data-arrow": variant.arrows.indexOf(arrow) }, svg("path", { class: "reach", d: `M${xy(from, at)}L${xy(to, at)}`, "stroke-width": Math.min(size, 2 * wing) }),
        svg("path", { d, "data-kind": arrow.kind }), svg("text", place((from + to) / 2, wide ? at - wing - 2 : at), words)));
    });
  }
  const long = wide ? along.at(-1)[1] : Math.max(...variant.boxes.map((box) => column[box.place][1])), broad = end;
  return svg("svg", { class: wide ? "chart wide" : "chart tall", role: "img", viewBox: wide ? `-1 -1 ${long + 2} ${broad + 2}` : `-1 -1 ${broad + 2} ${long + 2}`,
    "aria-label": variant.arrows.map((arrow) => sentence(variant, arrow)).join("; ") }, ...drawn);
}

function draw(report) {
  let variant;
  const most = Math.max(1, ...report.variants.flatMap(({ arrows }) => arrows.map(({ bytes }) => bytes)));
  const event = h("p", { class: "event" });
  const charts = h("div", { class: "charts" });
  const rest = () => (event.textContent = `Numbers are requests beside the kernel, and 32-byte sectors elsewhere. The thickest arrow${report.variants.length > 1 ? " of all runs" : ""} is ${count(most, "byte")}.`);
  for (const type of ["pointerover", "pointerdown"]) {
    charts.addEventListener(type, ({ target }) => {
      const at = target.closest("[data-arrow]");
      if (at) event.textContent = `${capital(sentence(variant, variant.arrows[at.dataset.arrow]))}.`;
    });
  }
  charts.addEventListener("pointerleave", rest);
  function choose(index) {
    variant = report.variants[index];
    charts.replaceChildren(picture(variant, WIDE, most), picture(variant, TALL, most));
    rest();
  }
  const kinds = Object.entries(KINDS).filter(([kind]) => report.variants.some(({ arrows }) => arrows.some((arrow) => arrow.kind === kind)));
  const root = group(`Memory chart: ${report.title}`, "memory-chart", null,
    h("div", { class: "heading" }, h("b", {}, report.title), select("Run", report.variants.map(({ label }) => label), choose)),
    h("div", { class: "words", role: "status" }, event), charts,
    h("ul", { class: "legend", "aria-label": "Legend" }, ...kinds.map(([kind, name]) =>
      h("li", {}, h("span", { class: "kind", "data-kind": kind, "aria-hidden": "true" }), { load: `${name}: towards the kernel`, store: `${name}: away from it`, atomic: `${name}: there and back, performed in L2` }[kind]))));
  choose(0);
  return { element: root, stop() {} };
}

export default widget(draw);
