// The carve-out explorer: the splits of on-chip memory that a device offers, the one a kernel gets, and why.
import { group, h, select, slider, svg, widget } from "./controls.js";

/** Blocks one behind the other, on the scale of the whole memory. */
function blocksOf(count, bytes, whole) {
  const gap = Math.min(bytes / 8, whole / 250);
  const d = Array.from({ length: count }, (_, block) => `M${block * bytes + gap / 2} 0h${bytes - gap}v1h${gap - bytes}z`).join("");
  return svg("svg", { viewBox: `0 0 ${whole} 1`, preserveAspectRatio: "none" }, svg("path", { d, "data-state": "c" }));
}

const filled = (sentence, figures) => sentence.replace(/\{(\w+)\}/g, (_, name) => figures[name]);

function draw(report) {
  const { sentences, percents, configs } = report;
  let [shared, threads, percent, config] = report.start;
  let variant = report.variants[0];

  const said = h("p", { class: "event" });
  const fits = h("p", { class: "so-far" });
  const offered = h("p", { class: "subtitle" });
  const status = h("div", { class: "words", role: "status" }, said, fits);
  const rows = h("ol", { class: "splits", "aria-label": "Capacities of shared memory that the device offers" });

  /** What becomes of the request: the capacity chosen (-1: refused), and two sentences. */
  function outcome() {
    const preference = config ? percents.length + config - 1 : percent;
    const launch = variant.cases[shared][threads];
    const [, block, verdict] = variant.blocks[shared];
    const [capped, most] = variant.limits;
    const figures = { device: variant.label, block, percent: percents[percent], asked: configs[config][0],
      wanted: variant.wanted[preference]?.[1], largest: variant.capacities.at(-1)[1] };
    if (verdict === "refused") return { chosen: -1, why: filled(sentences.refused, { ...figures, limit: most }), how: "" };
    if (!launch) return { chosen: -1, why: filled(sentences.no_registers, figures), how: "" };
    const [others, fitting, choices, reasons] = launch;
    const chosen = parseInt(choices[preference], 36);
    [, figures.capacity, figures.l1] = variant.capacities[chosen];
    Object.assign(figures, { count: fitting[chosen], others, limit: capped });
    const how = [filled(sentences[fitting[chosen] < others ? "some" : "all"], figures)];
    if (verdict === "opt_in") how.push(filled(sentences.opt_in, figures));
    return { chosen, wanted: variant.wanted[preference], why: filled(sentences[report.reasons[parseInt(reasons[preference], 36)]], figures), how: how.join(" ") };
  }

  function show() {
    const { chosen, wanted, why, how } = outcome();
    const [whole] = variant.unified;
    const share = (bytes) => `${(100 * bytes) / whole}%`;
    said.textContent = why;
    fits.textContent = how;
    carveout.box.disabled = config > 0;
    offered.replaceChildren(h("b", {}, variant.label), `: ${variant.unified[1]} of on-chip memory, `
      + (variant.configurable ? "which can be split in these ways" : "which cannot be split in another way"));
    const mark = wanted && h("span", { class: "asked", style: `left: ${share(wanted[0])}` }, wanted[1]);
    rows.replaceChildren(h("li", { class: "head", "aria-hidden": "true" },
      h("span", {}, "Shared"), h("span", { class: "scale" }, mark), h("span", {}, "L1"), h("span", {}, "Blocks")),
    ...variant.capacities.map(([bytes, capacity, l1], place) => {
      const count = chosen < 0 ? 0 : variant.cases[shared][threads][1][place];
      return h("li", { "aria-current": place === chosen && "true" },
        h("span", {}, h("span", { class: "spoken" }, place === chosen ? "Chosen: shared memory " : "Shared memory "), capacity),
        h("span", { class: "split", "aria-hidden": "true", "data-apart": !variant.configurable && "" },
          h("i", { class: "shared", style: `width: ${share(bytes)}` }), h("i", { class: "l1" }),
          count ? blocksOf(count, variant.blocks[shared][0], whole) : null,
          wanted && h("i", { class: "wanted", style: `left: ${share(wanted[0])}` })),
        h("span", {}, h("span", { class: "spoken" }, "L1 "), l1),
        h("span", {}, h("span", { class: "spoken" }, "blocks "), count ? `${count}` : "none"));
    }));
  }

  const carveout = slider("Preferred carve-out", percents.map((value) => (value < 0 ? "no preference" : `${value} %`)), percent,
    (index) => (percent = index, show()));
  const legacy = select("Legacy cache configuration", configs.map(([, text]) => text), (index) => (config = index, show()));
  legacy.lastChild.selectedIndex = config;
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
      status, offered, rows,
      h("ul", { class: "legend", "aria-label": "Legend" }, ...legend.map(([kind, meaning]) =>
        h("li", {}, h("span", { class: "split sample", "aria-hidden": "true" }, h("i", { class: kind })), meaning)),
      h("li", {}, `${report.registers_per_thread} registers a thread`))),
    stop() {},
  };
}

export default widget(draw);
