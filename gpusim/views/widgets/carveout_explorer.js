// The carve-out explorer: the splits of on-chip memory that a device offers, the one a kernel gets, and why.
import { group, h, select, slider, svg, widget } from "./controls.js";

/** Blocks one behind the other, on the scale of the whole memory; the last part of each is reserved. */
function blocksOf(count, bytes, reserved, whole) {
  const gap = Math.min(bytes / 8, whole / 250);
  const parts = (from, width) => Array.from({ length: width > 0 ? count : 0 }, (_, block) => `M${block * bytes + gap / 2 + from} 0h${width}v1h${-width}z`).join("");
  const used = Math.max(0, bytes - reserved - gap);
  return svg("svg", { viewBox: `0 0 ${whole} 1`, preserveAspectRatio: "none" },
    svg("path", { d: parts(0, used), "data-state": "c" }), svg("path", { d: parts(used, bytes - gap - used), class: "reserved" }));
}

const percentOf = (number) => number == null ? "–" : `${Number.isInteger(number) ? number : number.toFixed(1)} %`;

const filled = (sentence, figures) => sentence.replace(/\{(\w+)\}/g, (_, name) => figures[name]);

function draw(report) {
  const { sentences, percents, configs } = report;
  let [shared, threads, percent, config] = report.start;
  let variant = report.variants[0];

  const said = h("p", { class: "event" });
  const fits = h("p", { class: "so-far" });
  const measured = h("p", { class: "measured" });
  const offered = h("p", { class: "subtitle" });
  const status = h("div", { class: "words", role: "status" }, said, fits, measured);
  const rows = h("ol", { class: "splits", "aria-label": "Capacities of shared memory that the device offers" });

  /** What becomes of the request: the capacity chosen (-1: refused), and two sentences. */
  function outcome() {
    const preference = config ? percents.length + config - 1 : percent;
    const launch = variant.cases[shared][threads];
    const [, block, verdict] = variant.blocks[shared];
    const took = variant.measured.find((row) => row[0] === shared && row[1] === threads && row[2] === preference);
    const [capped, most] = variant.limits;
    const figures = { device: variant.label, block, percent: percents[percent], asked: configs[config][0],
      wanted: variant.wanted[preference]?.[1], largest: variant.capacities.at(-1)[1] };
    if (verdict === "refused") return { chosen: -1, why: filled(sentences.refused, { ...figures, limit: most }), how: "" };
    if (!launch) return { chosen: -1, why: filled(sentences.no_registers, figures), how: "" };
    const [others, fitting, choices, reasons] = launch;
    const chosen = parseInt(choices[preference], 36);
    [, figures.capacity, figures.l1] = variant.capacities[chosen];
    Object.assign(figures, { count: fitting[chosen], others, limit: capped, occupancy: variant.occupancy[threads][fitting[chosen]],
      taken: took && variant.capacities[took[3]][1], recorded: took?.[4] });
    const how = [filled(sentences[fitting[chosen] < others ? "some" : "all"], figures)];
    if (verdict === "opt_in") how.push(filled(sentences.opt_in, figures));
    return { chosen, took: took?.[3], really: took ? filled(sentences.measured, figures) : "", wanted: variant.wanted[preference], why: filled(sentences[report.reasons[parseInt(reasons[preference], 36)]], figures), how: how.join(" ") };
  }

  function show() {
    const { chosen, took, really, wanted, why, how } = outcome();
    const [whole] = variant.unified;
    const share = (bytes) => `${(100 * bytes) / whole}%`;
    said.textContent = why;
    fits.textContent = how;
    measured.textContent = really ?? "";
    carveout.box.disabled = config > 0;
    offered.replaceChildren(h("b", {}, variant.label), `: ${variant.unified[1]} of on-chip memory, `
      + (variant.configurable ? "which can be split in these ways" : "which cannot be split in another way"));
    const mark = wanted && h("span", { class: "asked", "data-edge": wanted[0] < whole / 8 && "", style: `left: ${share(wanted[0])}` }, wanted[1]);
    const { hits = [] } = variant;
    rows.toggleAttribute("data-hits", hits.length > 0);
    reserved.hidden = !variant.blocks[shared][3];
    note.hidden = !hits.length;
    rows.replaceChildren(h("li", { class: "head", "aria-hidden": "true" },
      h("span", {}, "Shared"), h("span", { class: "scale" }, mark), h("span", {}, "L1"), hits.length ? h("span", {}, "L1 has") : null,
      h("span", {}, "Blocks"), h("span", {}, "Occupancy")),
    ...variant.capacities.map(([bytes, capacity, l1], place) => {
      const count = chosen < 0 ? 0 : variant.cases[shared][threads][1][place];
      return h("li", { "aria-current": place === chosen && "true", "data-took": place === took && "" },
        h("span", {}, h("span", { class: "spoken" }, place === chosen ? "Chosen: shared memory " : place === took ? "Really taken: shared memory " : "Shared memory "), capacity),
        h("span", { class: "split", "aria-hidden": "true", "data-apart": !variant.configurable && "" },
          h("i", { class: "shared", style: `width: ${share(bytes)}` }), h("i", { class: "l1" }),
          count ? blocksOf(count, variant.blocks[shared][0], variant.blocks[shared][3], whole) : null,
          wanted && h("i", { class: "wanted", style: `left: ${share(wanted[0])}` })),
        h("span", {}, h("span", { class: "spoken" }, "L1 "), l1),
        hits.length ? h("span", {}, h("span", { class: "spoken" }, "L1 has "), percentOf(hits[place])) : null,
        h("span", {}, h("span", { class: "spoken" }, "blocks "), count ? `${count}` : "none"),
        h("span", {}, h("span", { class: "spoken" }, "occupancy "), percentOf(variant.occupancy[threads][count] ?? 0)));
    }));
  }

  const carveout = slider("Preferred carve-out", percents.map((value) => (value < 0 ? "no preference" : `${value} %`)), percent,
    (index) => (percent = index, show()));
  const legacy = select("Legacy cache configuration", configs.map(([, text]) => text), (index) => (config = index, show()));
  legacy.lastChild.selectedIndex = config;
  const sample = (kind, meaning) => h("li", {}, h("span", { class: "split sample", "aria-hidden": "true" }, h("i", { class: kind })), meaning);
  const reserved = sample("reserved", "1 KB that the system reserves for each block");
  const note = h("p", { class: "subtitle" }, `L1 has: the part of the loads that L1 can answer. ${report.hits_of ?? ""}`);
  const legend = [["block", "a block's shared memory"], ["shared", "shared memory that no block uses"], ["l1", "L1 cache and textures"],
    ["wanted", "what was asked for"]];
  show();
  return {
    element: group(`Carve-out explorer: ${report.title}`, "carveout-explorer", () => {},
      h("div", { class: "heading" }, h("b", {}, report.title),
        select("Device", report.variants.map(({ label }) => label), (index) => (variant = report.variants[index], show()))),
      h("div", { class: "requests" },
        slider("Shared memory of a block", report.shared, shared, (index) => (shared = index, show())).element,
        slider("Threads of a block", report.threads.map(String), threads, (index) => (threads = index, show())).element,
        carveout.element, legacy),
      status, offered, rows, note,
      h("ul", { class: "legend", "aria-label": "Legend" }, ...legend.map((row) => sample(...row)), reserved),
      h("p", { class: "subtitle" }, `Blocks and occupancy are those of a kernel with ${report.registers_per_thread} registers per thread.`)),
    stop() {},
  };
}

export default widget(draw);
