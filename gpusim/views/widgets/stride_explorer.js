// The stride explorer: which sectors move when a warp accesses x[offset + stride * t], pushed by hand.
import { count, group, h, pushed, select, tellTitles, widget } from "./controls.js";
import { SECTOR, sectorsOf } from "./sector_rules.js";
import { evenScale, sectorLines } from "./sector_lines.js";

const LANES = 32, LEAST_BYTES = 256;

/** The strip: 256, 384, 512, 768, … bytes, so that it changes seldom while a slider is pushed. */
function stripOf(end) {
  let bytes = LEAST_BYTES;
  while (bytes < end) bytes = bytes * 1.5 >= end && Number.isInteger(Math.log2(bytes)) ? bytes * 1.5 : 2 ** Math.floor(Math.log2(bytes) + 1);
  return bytes;
}

function draw(report) {
  let variant, offset, stride;
  const picture = sectorLines();
  const event = h("p", { class: "event" }), cause = h("p", { class: "so-far" }), code = h("code", {});
  const status = h("div", { class: "words", role: "status" }, event, cause);
  const wantsOf = (from, by) => Array.from({ length: LANES }, (_, lane) => [lane, (from + by * lane) * variant.width]);
  const sectorsFor = (from, by) => sectorsOf(wantsOf(from, by), variant.width);
  const places = () => Array.from({ length: variant.sectors.length }, (_, place) => place);

  function say() {
    const { width } = variant, moved = SECTOR * sectorsFor(offset, stride).size, wanted = width * (stride ? LANES : 1);
    const step = stride * width, into = (offset * width) % SECTOR, least = Math.ceil(wanted / SECTOR);
    event.replaceChildren(h("b", {}, count(moved / SECTOR, "sector")), `: ${count(moved, "byte")} move, ${wanted} are wanted, ${Math.round((1000 * wanted) / moved) / 10} %.`);
    cause.textContent = !stride ? "All lanes want the same element: one sector serves them all."
      : moved === wanted ? "Every byte that moves is wanted."
      : stride === 1 && moved / SECTOR > least && least * SECTOR === wanted ? `The first lane wants byte ${into} of its sector: the last ones reach over an edge, into one sector more.`
      : stride === 1 ? `The lanes want ${wanted} bytes in a row; what is left of their sectors moves for nobody.`
      : step >= SECTOR ? `Each lane's element lies ${step} bytes after the last: a sector of its own, of which ${count(SECTOR - width, "byte")} move for nobody.`
      : `Of every ${step} bytes only ${width} are wanted.` + (into && moved / SECTOR > sectorsFor(0, stride).size ? ` And the request begins at byte ${into} of a sector: one sector more.` : "");
  }
  function show() {
    const wants = wantsOf(offset, stride), sectors = sectorsFor(offset, stride);
    const scale = evenScale(0, stripOf(Math.max(...sectors.keys()) + SECTOR));
    picture.show({ lanes: LANES, wants, width: variant.width, scale, states: "c".repeat(LANES), name: `Memory: ${count(sectors.size, "sector")} move`,
      sectors: new Map([...sectors.keys()].map((first) => [first, ["now", 1]])) });
    code.textContent = `x[${offset} + ${stride} * t]`;
    say();
  }
  const strides = pushed("Stride, and the sectors that each takes", (place) => {
    stride = place;
    offsets.resize(places().map((each) => [each, sectorsFor(each, stride).size]), LANES);
    offsets.go(offset);
    strides.go(stride);
    show();
  });
  const offsets = pushed("Offset", (place) => {
    offset = place;
    strides.resize(places().map((each) => [each, sectorsFor(offset, each).size]), LANES);
    strides.go(stride);
    offsets.go(offset);
    show();
  });
  function choose(index) {
    const first = !variant;
    variant = report.variants[index];
    const most = variant.sectors.length - 1;
    [offset, stride] = first ? [report.offset, report.stride] : [Math.min(offset, most), Math.min(stride, most)];
    for (const slide of [offsets, strides]) slide.resize(places().map((each) => [each, 0]), LANES);
    offsets.push(offset);
    strides.push(stride);
  }
  const root = group(`Stride explorer: ${report.title}`, "stride-explorer", null,
    h("div", { class: "heading" }, h("b", {}, report.title), select("Element", report.variants.map(({ label }) => label), choose)),
    strides.element, offsets.element,
    h("p", { class: "code" }, code), status, picture.element,
    h("p", { class: "subtitle" }, "Lanes above, memory below: solid what a lane wants, outlined the sectors of 32 bytes that move, hatched what nobody wants."));
  tellTitles(picture.strip, event, say);
  choose(0);
  return { element: root, stop() {} };
}

export default widget(draw);
