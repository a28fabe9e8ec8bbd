// The occupancy explorer: blocks fall into a multiprocessor until a resource lets no more in; what they ask for is pushed.
import { capital, count, group, h, select, svg, widget } from "./controls.js";
import { blocksOf, occupancyOf, sharesOf } from "./occupancy_rules.js";

const SHARED_STEP = 512, THREAD_STEP = 16, PLACES = 32;
const number = (value) => value.toLocaleString("en");
const kb = (size) => `${Math.round((10 * size) / 1024) / 10} KB`;
const VESSELS = { "warps": number, "registers": number, "shared memory": kb };

/** A vessel: layers of blocks up to the brim, and on top of them the block that comes next. */
function vessel(name, written) {
  const layers = Array.from({ length: PLACES }, (_, block) => h("i", { style: `--block: ${block}` })), next = h("i", { class: "next" }), lost = h("i", { class: "lost" });
  const figures = h("p", {}), lets = h("b", {});
  const element = h("div", { class: "vessel", role: "img" }, h("b", {}, capital(name)), h("div", { class: "glass" }, h("div", { class: "inside" }, lost, ...layers, next)),
    figures, h("p", {}, "lets in ", lets, h("em", {}, "limits")));
  return {
    element,
    show({ each, capacity, usable, blocks: allowed }, blocks, limits) {
      const part = (size) => `${(100 * size) / capacity}%`;
      layers.forEach((layer, block) => {
        layer.style.bottom = block < blocks ? part(block * each) : "";
        layer.style.height = part(each);
        layer.toggleAttribute("data-in", block < blocks);
      });
      Object.assign(next.style, { bottom: part(blocks * each), height: part(each) });
      lost.style.height = part(capacity - usable);
      element.toggleAttribute("data-limits", limits);
      figures.textContent = `${written(blocks * each)} of ${written(capacity)}`;
      lets.textContent = allowed ?? "all";
      element.setAttribute("aria-label", `${capital(name)}: ${figures.textContent} taken, ${written(each)} per block; lets in ${lets.textContent}${limits ? ", and so limits" : ""}`);
    },
  };
}

/** A slider on the staircase of the warps that are resident for each of its places. */
function staircase(label, choose) {
  const stairs = svg("path", { "data-state": "c" }), dots = svg("path", { class: "dots" }), here = svg("path", { class: "here" }), higher = svg("path", { class: "higher" });
  const picture = svg("svg", { preserveAspectRatio: "none" }, stairs, higher, dots, here), value = h("b", {}), takes = h("span", {});
  const box = h("input", { type: "range", min: 0, step: 1, "aria-label": label, oninput: () => choose(box.valueAsNumber) });
  const timeline = h("div", { class: "timeline" }, h("div", { class: "strip", "aria-hidden": "true" }, picture), box), first = h("span", {}), last = h("span", {});
  return {
    element: h("div", { class: "staircase" }, h("p", { class: "subtitle", "aria-hidden": "true" }, `${label} `, value, takes), timeline,
      h("div", { class: "ends", "aria-hidden": "true" }, first, last)),
    /** `warps` of each place and `height` where it stands, `at`; `up`: the place of the step up; `known` [place, warps] of real answers. */
    show({ warps, most, at, height, up, known, ends, asked, taken }) {
      const steps = warps.length, y = (some) => 1 - some / most;
      const points = (all) => all.map(([place, some]) => `M${place + 0.5} ${y(some)}h.001`).join("");
      picture.setAttribute("viewBox", `0 0 ${steps} 1`);
      timeline.style.setProperty("--steps", steps);
      stairs.setAttribute("d", `M0 1${warps.map((some) => `V${y(some)}h1`).join("")}V1z`);
      dots.setAttribute("d", points(known.filter(([place]) => place >= 0 && place < steps)));
      here.setAttribute("d", points([[at, height]]));
      higher.setAttribute("d", up < 0 ? "" : `M${up + 0.5} 0V1`);
      box.max = steps - 1;
      box.value = at;
      value.textContent = asked;
      takes.textContent = taken;
      [first.textContent, last.textContent] = ends;
      box.setAttribute("aria-valuetext", `${asked}${taken}: ${height} of ${most} warps`);
    },
  };
}

function draw(report) {
  let variant, threads = report.threads, registers = report.registers_per_thread, wanted = report.shared_bytes;
  const figure = h("b", { class: "share-of" }), held = h("b", {}), why = h("span", {});
  const vessels = Object.entries(VESSELS).map(([name, written]) => [name, vessel(name, written)]);
  const slots = h("div", { class: "slots", role: "img" }), legend = h("li", {}), dots = h("span", {}), height = h("p", { class: "subtitle" });
  const sliders = {
    registers: staircase("Registers per thread", (place) => show(registers = place + 1)),
    threads: staircase("Threads per block", (place) => show(threads = (place + 1) * THREAD_STEP)),
    shared: staircase("Shared memory per block", (place) => show(wanted = place * SHARED_STEP)),
  };

  /** A real GPU's answers for two of the three numbers as they are now: [number, warps] along the third. */
  function known(axis, now) {
    const { recorded, limits } = variant;
    if (!recorded) return [];
    const { registers, shared, threads } = recorded;
    const at = { registers: registers.indexOf(now.registers), shared: shared.indexOf(now.shared), threads: threads.indexOf(now.threads) };
    if (Object.keys(at).some((name) => name !== axis && at[name] < 0)) return [];
    return recorded[axis].map((value, place) => {
      const from = { ...at, [axis]: place };
      const blocks = parseInt(recorded.blocks[(from.registers * shared.length + from.shared) * threads.length + from.threads], 36);
      return [value, blocks * Math.ceil((axis === "threads" ? value : now.threads) / limits.warp_size)];
    });
  }

  function show() {
    const gpu = variant.limits, most = gpu.max_warps_per_multiprocessor;
    registers = Math.min(registers, gpu.max_registers_per_thread);
    threads = Math.min(threads, gpu.max_threads_per_block);
    const shared = Math.min(wanted, gpu.shared_bytes_per_block_optin), now = { registers, threads, shared };
    const { shares, blocks, warps, limiting, ...said } = occupancyOf(gpu, threads, registers, shared);
    height.textContent = `Height: warps that are resident, of ${most}`;
    figure.textContent = `${Math.round((1000 * warps) / most) / 10} %`;
    held.textContent = said.held;
    why.textContent = said.why;
    for (const [name, each] of vessels) each.show(shares[name], blocks, limiting.includes(name));
    [...slots.children].forEach((slot, block) => slot.toggleAttribute("data-in", block < blocks));
    slots.setAttribute("aria-label", `${blocks} of ${count(slots.children.length, "place")} for blocks taken`);
    slots.toggleAttribute("data-limits", limiting.includes("blocks"));

    const wide = shares.warps.each, handed = shares.registers.each / wide / gpu.warp_size, kept = shares["shared memory"].each;
    for (const [name, size, first, step, write, taken] of [
      ["registers", gpu.max_registers_per_thread, 1, 1, number, handed > registers ? `, takes ${handed}` : ""],
      ["threads", gpu.max_threads_per_block / THREAD_STEP, THREAD_STEP, THREAD_STEP, number, `, takes ${count(wide, "warp")}`],
      ["shared", Math.floor(gpu.shared_bytes_per_block_optin / SHARED_STEP) + 1, 0, SHARED_STEP, (size) => (size % SHARED_STEP ? count(size, "byte") : kb(size)),
        kept > shared ? `, takes ${kb(kept)}` : ""],
    ]) {
      const places = Array.from({ length: size }, (_, place) => {
        const each = { ...now, [name]: first + place * step }, found = sharesOf(gpu, each.threads, each.registers, each.shared);
        return [blocksOf(found), found.warps.each];
      });
      const at = (now[name] - first) / step;
      sliders[name].show({ warps: places.map(([many, each]) => many * each), most, at, height: warps, asked: write(now[name]), taken,
        up: places.findLastIndex(([many], place) => place < at && many > blocks), ends: [write(first), write(first + (size - 1) * step)],
        known: known(name, now).map(([value, some]) => [(value - first) / step, some]) });
    }
  }
  function choose(index) {
    variant = report.variants[index];
    slots.replaceChildren(...Array.from({ length: variant.limits.max_blocks_per_multiprocessor }, () => h("i", {})));
    legend.hidden = !variant.recorded;
    dots.textContent = `what the driver of a real ${variant.label} answered`;
    show();
  }
  legend.append(h("i", { class: "dot" }), dots);
  const root = group(`Occupancy explorer: ${report.title}`, "occupancy-explorer", null,
    h("div", { class: "heading" }, h("b", {}, report.title), select("Device", report.variants.map(({ label }) => label), choose)),
    h("div", { class: "asked-and-held" },
      h("p", { role: "status" }, figure, h("span", {}, held, " ", why)),
      h("div", { class: "held" }, h("div", { class: "vessels" }, ...vessels.map(([, { element }]) => element)),
        h("p", { class: "places-for" }, "Places for blocks ", h("em", {}, "limit")), slots),
      h("div", {}, height, ...Object.values(sliders).map(({ element }) => element))),
    h("ul", { class: "legend", "aria-label": "Legend" }, h("li", {}, h("i", { class: "next" }), "the next block"),
      h("li", {}, h("i", { class: "lost" }), "registers that no warp gets"), h("li", {}, h("i", { class: "higher" }), "from here down, more blocks fit"), legend));
  choose(0);
  return { element: root, stop() {} };
}

export default widget(draw);
