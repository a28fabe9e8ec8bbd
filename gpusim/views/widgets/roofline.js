// The roofline: what runs compute for each byte that they move, under the roofs of their device and of another.
import { group, h, select, svg, widget } from "./controls.js";

const WIDE = { shape: "wide", width: 760, height: 380, left: 78, right: 24, top: 22, bottom: 44 };
const TALL = { shape: "tall", width: 350, height: 350, left: 46, right: 24, top: 24, bottom: 42 };
const PREFIXES = ["", "k", "M", "G", "T", "P"];
const NONE = "no other device";
const { log10, floor, ceil, min, max } = Math;
const rateOf = (power) => `${10 ** (power % 3)} ${PREFIXES[floor(power / 3)]}`;
const span = (from, to) => Array.from({ length: to - from + 1 }, (_, step) => from + step);

/** Powers of ten that hold all runs and roofs, on any level: [least, most] of both axes. */
function axes({ variants, devices }) {
  const places = variants.flatMap(({ places }) => places), roofs = devices.flatMap(({ compute }) => compute.map(({ most }) => most));
  const ridges = devices.flatMap(({ compute, levels }) => compute.flatMap(({ most }) => levels.map((level) => most / level.most)));
  const intensities = places.flatMap(({ intensity }) => intensity ?? []);
  const x = [floor(log10(min(0.1, ...intensities))), ceil(log10(max(...ridges, ...intensities)))];
  const idle = variants.filter(({ performance }) => !performance).flatMap(({ places }) => places.flatMap(({ bytes }) => (bytes ? bytes * 10 ** x[0] : [])));
  const least = min(...variants.flatMap(({ performance }) => performance || []), ...idle, max(...roofs) / 300);
  return { x, y: [max(0, floor(log10(least))), ceil(log10(max(...roofs)) + 0.15)] };
}

function chart(report, layout, pick) {
  const { width, height, left, right, top, bottom, shape } = layout, { x: [x0, x1], y: [y0, y1] } = axes(report);
  const [wide, tall] = [width - left - right, height - top - bottom];
  const px = (value) => left + ((log10(value) - x0) / (x1 - x0)) * wide, py = (value) => top + ((y1 - log10(value)) / (y1 - y0)) * tall;
  const [first, last, floorAt] = [10 ** x0, 10 ** x1, 10 ** y0];
  const slope = (-180 / Math.PI) * Math.atan2(tall / (y1 - y0), wide / (x1 - x0));
  const ticks = svg("g", { class: "ticks" },
    ...span(x0, x1).map((power) => svg("g", {}, svg("path", { d: `M${px(10 ** power)} ${top}v${tall}` }), svg("text", { x: px(10 ** power), y: height - bottom + 16 }, (10 ** power).toLocaleString("en", { maximumFractionDigits: 6 })))),
    ...span(y0, y1).map((power) => svg("g", {}, svg("path", { d: `M${left} ${py(10 ** power)}h${wide}` }),
      svg("text", { class: "rate", x: left - 6, y: py(10 ** power) }, `${rateOf(power)}${shape === "wide" ? "FLOP/s" : ""}`))));
  const across = svg("text", { x: left + wide / 2, y: height - 8 });
  const roofs = svg("g", { class: "roofs" }), way = svg("path", { class: "way" });
  const points = report.variants.map((_, index) => svg("g", { class: "point", onpointerover: () => pick(index), onclick: () => pick(index) },
    svg("circle", { r: 10 }), svg("text", {}, `${index + 1}`)));

  /** The slanted roof of a level, from where it comes into the picture to under the highest roof over it. */
  function slanted({ most, says }, highest, kind, side = -8) {
    const from = max(first, floorAt / most), to = highest / most, label = from * (kind === "aside" && to > 40 * from ? 6 : 1.25);
    return svg("g", { class: kind }, svg("path", { d: `M${px(from)} ${py(from * most)}L${px(to)} ${py(highest)}` }),
      svg("text", { class: "along", transform: `translate(${px(label)} ${py(label * most)}) rotate(${slope}) translate(0 ${side})` }, says));
  }
  const flat = ({ most, says }, from, kind) => svg("g", { class: kind }, svg("path", { d: `M${px(from)} ${py(most)}H${px(last)}` }),
    svg("text", { class: "end", x: px(last) - 2, y: py(most) - 7 }, says));

  return {
    element: svg("svg", { class: `chart ${shape}`, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${report.title}: the runs and what is said of each stand below` },
      ticks, across, roofs, way, ...points),
    show(device, other, level, chosen) {
      across.textContent = shape === "wide" ? `operations on floats per byte of ${device.levels[level].name}` : `FLOP/s by FLOP per byte of ${device.levels[level].name}`;
      const highest = max(...device.compute.map(({ most }) => most)), drawn = [];
      if (other) {
        const top = { ...other.compute[0], says: `${other.name}: ${other.compute[0].says}` }, slant = other.levels[level];
        drawn.push(slanted({ ...slant, says: `${other.name}:${slant.says.slice(slant.name.length)}` }, top.most, "other", 12), flat(top, top.most / slant.most, "other"));
      }
      device.levels.forEach((each, place) => drawn.push(slanted(each, highest, place === level ? "chosen" : "aside", place || place === level ? -8 : 12)));
      device.compute.forEach((each) => drawn.push(flat(each, each.most / (each.most === highest ? max(...device.levels.map(({ most }) => most)) : device.levels[level].most), "chosen")));
      roofs.replaceChildren(...drawn);
      report.variants.forEach(({ performance, places }, index) => {
        const { intensity, attainable, bytes } = places[level], mine = index === chosen;
        const at = [px(intensity ?? (performance ? last : first)), py(max(floorAt, performance || bytes * first || floorAt))];
        points[index].style.transform = `translate(${at[0]}px, ${at[1]}px)`;
        points[index].toggleAttribute("data-now", mine);
        if (mine && points[index].nextSibling) points[index].parentNode.append(points[index]); // over its neighbours
        if (mine) way.setAttribute("d", attainable ? `M${at[0]} ${at[1] - 10}V${min(py(attainable), at[1] - 10)}` : "");
      });
    },
  };
}

function draw(report) {
  let level = max(0, report.devices[0].levels.findIndex((_, place) => report.variants.some(({ places }) => places[place].intensity))), chosen = 0, other;
  const charts = [WIDE, TALL].map((layout) => chart(report, layout, (index) => show(chosen = index)));
  const event = h("p", { class: "event" }), cause = h("p", { class: "so-far" });
  const deviceOf = ({ device }) => report.devices.find(({ name }) => name === device);
  const figures = h("p", { class: "subtitle" });
  const runs = report.variants.map(({ label }, index) => h("button", { type: "button", onclick: () => show(chosen = index), onfocus: () => show(chosen = index) },
    h("b", {}, `${index + 1}`), ` ${label}`));
  function show() {
    const run = report.variants[chosen], device = deviceOf(run);
    event.replaceChildren(h("b", {}, `${chosen + 1} ${run.label}`), `: ${run.places[level].says}`);
    cause.textContent = run.says;
    figures.textContent = `By the model of time. The roofs of ${device.name}: ${device.source}.`;
    runs.forEach((each, index) => each.setAttribute("aria-pressed", index === chosen));
    for (const each of charts) each.show(device, other, level, chosen);
  }
  const [first] = report.devices;
  const root = group(`${report.title}`, "roofline", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.target.matches("select")) return;
    event.preventDefault();
    show(chosen = (chosen + by + runs.length) % runs.length);
    if (runs.includes(event.target)) runs[chosen].focus();
  },
  h("div", { class: "heading" }, h("b", {}, report.title), h("div", { class: "toolbar" },
    select("Bytes of", first.levels.map(({ name }) => name), (index) => show(level = index)),
    select("Roofs beside", report.devices.length > 1 ? [NONE, ...report.devices.map(({ name }) => name)] : [NONE], (index) => show(other = report.devices[index - 1])))),
  h("div", { class: "words", role: "status" }, event, cause), h("div", { class: "charts" }, ...charts.map(({ element }) => element)),
  h("div", { class: "runs", role: "group", "aria-label": "Runs" }, ...runs), figures);
  show();
  return { element: root, stop() {} };
}

export default widget(draw);
