// The launch tree: it grows as it ran; a clicked grid says who launched it, with what, and for whom it waits.
import { bars, count, group, h, playback, select, svg, widget } from "./controls.js";

const ROW = 28, BOX = 18, TINTS = 6, PAGE = 8, MOST_CELLS = 12, FLIGHT = { duration: 280, easing: "ease-out" };
const MARKS = { waits: "", runs: "▶", synchronizes: "‖", closes: "…", over: "✓", failed: "✕", stopped: "–" };
const ENDED = ["over", "failed", "stopped"];
const COLOURS = { depth: ({ depth }) => depth, kernel: ({ kernel }) => kernel, stream: ({ stream }) => stream || "the host's" };

/** A run's tree in a frame; `chosen(node)` when a grid is picked. */
function stage(doing, chosen) {
  const states = Object.keys(doing), calm = matchMedia("(prefers-reduced-motion: reduce)");
  let variant, names, below, behindOf, last, nows, rows = [], tints = [], indent = 0, step = 0, picked = -1, now = [];
  const side = h("b", { class: "side", "aria-hidden": "true" }), label = h("span", {}), words = h("p", { class: "event" });
  const twigs = svg("path", {}), chains = svg("path", { class: "chain" }), heads = svg("path", { class: "head" }), wires = svg("svg", { "aria-hidden": "true" }, twigs, chains, heads);
  const list = h("div", { class: "grids", onclick: ({ target }) => pick(Number(target.closest("[data-node]")?.dataset.node ?? -1)), onkeydown: move });
  const frame = h("div", { class: "tree-frame", role: "group", tabindex: -1 }, list);

  const total = (node) => now[node].reduce((sum, many) => sum + many, 0);
  const nameOf = (node) => names[node];
  /** What one grid does, or "" where several are one and do different things. */
  const does = (node) => states[(now[node] ?? []).findIndex((many) => many === variant.nodes[node].count)];
  const unfinished = (node) => below[node].reduce((sum, each) => now[each].reduce((all, many, place) => all + (ENDED.includes(states[place]) ? 0 : many), sum), 0);
  /** The words beside a grid. */
  function told(node) {
    const { count: all, behind, stream, parent } = variant.nodes[node], what = does(node);
    if (all > 1) return states.flatMap((state, place) => (now[node][place] ? [`${now[node][place].toLocaleString("en")} ${{ waits: "wait", runs: "run", synchronizes: "wait for children", closes: "wait for children", over: "over", failed: "failed", stopped: "stopped" }[state]}`] : [])).join(", ");
    if (what === "closes" && !unfinished(node)) return "its threads have left";
    if (what === "closes" || what === "synchronizes") return `waits for ${unfinished(node) === 1 ? "its child" : `its ${unfinished(node)} children`}`;
    if (what === "waits") return behind >= 0 && does(behind) !== "over" ? `waits for ${nameOf(behind)}` : stream === "tail launch" ? "waits for all else" : does(parent) === "runs" ? "waits for its parent" : "waits";
    return { runs: "runs", over: "over", failed: "failed", stopped: "stopped" }[what] ?? "";
  }
  function paintRow(node) {
    const { box, says, element } = rows[node], what = does(node), { count: all } = variant.nodes[node];
    element.hidden = !total(node);
    says.textContent = told(node);
    element.setAttribute("aria-label", `${nameOf(node)}: ${total(node) ? says.textContent : "not launched yet"}`);
    if (all === 1) [box.dataset.doing, box.textContent] = [what ?? "", MARKS[what] ?? ""];
    else {
      let at = 0;
      box.replaceChildren(...states.flatMap((state, place) => {
        const share = (now[node][place] / all) * 100;
        return share ? [h("i", { "data-doing": state, style: `left: ${(at += share) - share}%; width: ${share}%` })] : [];
      }));
    }
  }
  /** Who is told of in this step, with their parents. */
  function show(to) {
    to = Math.min(to, variant.steps.length - 1);
    const forward = to === step + 1, changes = variant.steps[to].changes, sum = (counts) => (counts ?? []).reduce((a, b) => a + b, 0);
    const changed = new Set(), focused = list.contains(document.activeElement) && document.activeElement;
    step = to;
    nows[to].forEach((counts, node) => {
      if (now[node] !== counts) changed.add(node).add(variant.nodes[node].parent);
      now[node] = counts;
    });
    changed.forEach((node) => node >= 0 && [node, ...behindOf[node], ...below[node]].forEach(paintRow));
    last.forEach((element) => element.removeAttribute("data-now"));
    last = changes.map(([node]) => rows[node].element);
    last.forEach((element) => element.setAttribute("data-now", ""));
    rows.forEach(({ strip }) => strip?.firstChild.removeAttribute("style"));
    if (focused?.hidden) frame.focus({ preventScroll: true });
    wire();
    words.textContent = variant.steps[to].says;
    changes.forEach(([node, ...counts], place) => sum(counts) > sum(nows[to - 1]?.[node]) && launch(node, forward && place < 24));
    follow(changes);
    if (picked >= 0) chosen(picked);
  }
  /** A mark at the block that launches, from where the new one flies to its place. */
  function launch(node, flies) {
    const { parent, grids, count: all } = variant.nodes[node];
    if (parent < 0) return;
    const { blocks } = variant.nodes[parent], { strip } = rows[parent], at = all > 1 ? 0 : (grids[0].of_block % blocks) / blocks;
    if (strip) strip.firstChild.style.cssText = `left: ${at * 100}%; width: ${all > 1 ? 100 : Math.max(100 / blocks, 6)}%; opacity: 1`;
    if (!flies || calm.matches) return;
    const x = rows[parent].left + (strip ? 96 + at * 40 : 0) - rows[node].left;
    rows[node].element.animate([{ opacity: 0.2, transform: `translate(${x}px, ${rows[parent].top - rows[node].top}px) scale(.4)` }, {}], FLIGHT);
  }
  /** Scroll the frame, never the page, to what happens. */
  function follow(changes) {
    const top = Math.min(...changes.map(([node]) => rows[node].top)), end = top + ROW;
    if (top < frame.scrollTop || end > frame.scrollTop + frame.clientHeight) frame.scrollTop = top - frame.clientHeight / 3;
  }
  function pick(node) {
    if (node < 0) return;
    rows[picked]?.element.setAttribute("aria-pressed", "false");
    rows.forEach(({ element }) => (element.tabIndex = -1));
    rows[node].element.tabIndex = 0;
    rows[node].element.setAttribute("aria-pressed", "true");
    chosen((picked = node));
  }
  function move(press) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[press.key];
    let node = Number(press.target.dataset.node) + by;
    while (rows[node]?.element.hidden) node += by;
    if (!by || !rows[node]) return;
    press.preventDefault();
    rows[node].element.focus();
    pick(node);
  }
  /** From the middle of a parent's box down to its child; and from a grid to the next in its stream. */
  function wire() {
    const { nodes } = variant, paths = { twig: "", chain: "", head: "" };
    let at = 0;
    nodes.forEach(({ parent, behind }, node) => {
      if (!total(node)) return;
      const top = (rows[node].top = ROW * at++), y = top + ROW / 2, x = rows[node].left + 4;
      if (parent >= 0) paths.twig += `M${rows[parent].left + 4 + Math.min(BOX / 2, indent - 2)} ${rows[parent].top + (ROW + BOX) / 2}V${y}H${x}`;
      if (nodes[behind]?.parent !== parent || behind < 0) return;
      paths.chain += `M${x + 4} ${rows[behind].top + (ROW + BOX) / 2}V${y - BOX / 2 - 5}`;
      paths.head += `M${x + 4} ${y - BOX / 2}l-3.5-6h7z`;
    });
    [twigs, chains, heads].forEach((path, kind) => path.setAttribute("d", Object.values(paths)[kind]));
    wires.setAttribute("height", at * ROW);
  }
  function lay() {
    if (!variant || !frame.clientWidth) return;
    indent = Math.max(3, Math.min(26, (frame.clientWidth * 0.42) / Math.max(...variant.nodes.map(({ depth }) => depth), 1)));
    wires.setAttribute("width", frame.clientWidth);
    variant.nodes.forEach(({ depth }, node) => (rows[node].element.style.paddingLeft = `${(rows[node].left = depth * indent) + 4}px`));
    wire();
  }
  function tint(by) {
    tints = [...new Set(variant.nodes.map(COLOURS[by]))];
    variant.nodes.forEach((node, place) => (rows[place].box.dataset.tint = tints.indexOf(COLOURS[by](node)) % TINTS));
    return tints;
  }
  function load(found, mark) {
    variant = found;
    const { nodes, steps } = variant;
    names = nodes.map(({ kernel, count: all, grids: [{ number }] }) => (all > 1 ? `${kernel} × ${all.toLocaleString("en")}` : `${kernel} #${number}`));
    [below, behindOf] = [nodes.map(() => []), nodes.map(() => [])];
    nodes.forEach(({ parent, behind }, node) => (below[parent]?.push(node), behindOf[behind]?.push(node)));
    // Of each step what all do: an array a node, the same one as long as nothing changes.
    const none = states.map(() => 0);
    nows = [];
    for (const { changes } of steps) {
      const next = nows.length ? [...nows.at(-1)] : nodes.map(() => none);
      for (const [node, ...counts] of changes) next[node] = counts;
      nows.push(next);
    }
    [now, last, picked, step] = [nodes.map(() => none), [], -1, -1];
    rows = nodes.map(({ count: all, blocks, stream, parent }, node) => {
      const box = h("span", { class: all > 1 ? "heap" : "box", "aria-hidden": "true" }), says = h("small", {});
      const strip = below[node].length && blocks > 1 ? h("span", { class: "blocks", title: count(blocks, "block"), style: `--blocks: ${blocks > MOST_CELLS ? 1 : blocks}` }, h("i", {})) : null;
      const element = h("button", { type: "button", "data-node": node, "aria-pressed": "false", tabindex: node ? -1 : 0 }, box, h("b", {}, nameOf(node)), strip, parent < 0 ? null : h("span", { class: "stream" }, stream), says);
      return { box, says, strip, element, left: 0, top: 0 };
    });
    side.textContent = mark;
    side.hidden = !mark;
    label.textContent = `${variant.label}: ${count(variant.launches, "grid")} on ${variant.device}, CDP${variant.cdp}`;
    frame.setAttribute("aria-label", `Grids of ${variant.label}`);
    list.replaceChildren(wires, ...rows.map(({ element }) => element), variant.left_out ? h("p", { class: "subtitle" }, variant.left_out) : "");
    frame.style.setProperty("--rows", nodes.length);
    lay();
    rows.forEach((_, node) => paintRow(node));
  }
  const resized = new ResizeObserver(lay);
  resized.observe(frame);
  return { element: h("div", { class: "tree" }, h("p", { class: "subtitle" }, side, label), words, frame), frame, load, show, tint, pick, nameOf, told,
    variant: () => variant, step: () => step, stop: () => resized.disconnect() };
}

function draw(report) {
  const several = report.variants.length > 1, doing = Object.fromEntries(report.doing);
  let both = report.variants.length === 2, first = 0, by = "depth", active = 0, page = 0, grid = 0, shownNode = -1;
  const panel = h("div", { class: "verdict", role: "status", tabindex: 0 }), colours = h("ul", { class: "legend", "aria-label": "Colours" });
  const stages = [0, 1].map((side) => stage(doing, (node) => {
    if (node !== shownNode || side !== active) [page, grid] = [0, 0];
    [active, shownNode] = [side, node];
    tell();
  }));
  const shown = () => stages.slice(0, both ? 2 : 1);

  /** All about the grid that is chosen; of several drawn as one, a page of them to choose from. */
  function tell() {
    const on = stages[active], { nodes, steps } = on.variant(), node = nodes[shownNode];
    if (!node) return panel.replaceChildren(h("p", {}, "Choose a grid: who launched it, with what, and for whom does it wait?"));
    const { number, by: who, arguments: passed, waits, begins, ends } = node.grids[grid], many = node.count > 1;
    const behind = nodes.flatMap(({ behind: before }, place) => (before === shownNode ? [on.nameOf(place)] : []));
    const facts = [
      ["Now", many ? on.told(shownNode) : on.told(shownNode) || "not launched yet"],
      ["Launched", many ? `${node.kernel} #${number} by ${who}` : `by ${who}`],
      ["Line", node.line ? h("code", {}, `${node.line}: ${node.source}`) : null],
      ["Arguments", passed.length ? h("div", {}, ...passed.map((each) => h("div", {}, argument(each, nodes[node.parent])))) : null],
      ["Waits", waits || null],
      ["Steps", `${begins + 1} to ${ends + 1}`],
      ["Waiting for it", [node.parent < 0 ? "the host, if it asks" : `${on.nameOf(node.parent)}, which is not over before`, ...behind.map((name) => `${name}, behind it in its stream`)].join("; ")],
      ["Counted", Object.entries(node.counters).map(([name, value]) => `${value.toLocaleString("en")} ${name.replaceAll("_", " ")}`).join(", ") || null],
      ["Error", node.error || null],
    ];
    const pages = Math.ceil(node.grids.length / PAGE), turn = (to) => h("button", { type: "button", disabled: (to < 0 || to >= pages) && "", onclick: () => tell((page = to)) }, to < page ? "Earlier" : "Later");
    panel.replaceChildren(h("p", {}, h("b", {}, on.nameOf(shownNode))), h("p", {}, h("code", {}, `${node.kernel}<<<${node.configuration}${node.stream ? `, ${node.stream}` : ""}>>>`)),
      h("dl", {}, ...facts.flatMap(([name, value]) => (value ? [h("dt", {}, name), h("dd", {}, value)] : []))),
      many ? h("div", { class: "pages" }, turn(page - 1), turn(page + 1), ...node.grids.slice(page * PAGE, (page + 1) * PAGE).map((each, place) => h("button", { type: "button", "aria-pressed": `${page * PAGE + place === grid}`, onclick: () => tell((grid = page * PAGE + place)) }, `#${each.number}`)),
        node.count > node.grids.length && page === pages - 1 ? h("small", {}, `and ${(node.count - node.grids.length).toLocaleString("en")} like these`) : "") : "");
  }
  const argument = ({ name, type, value }, parent) => (/[\]*]$/.test(type) && value !== "null" ? `${name}: ${type}${value && `, from ${parent.kernel}'s ${value}`}` : `${name} = ${value} (${type})`);
  const says = (step) => shown().map((each) => each.variant().steps[Math.min(step, each.variant().steps.length - 1)].says).join(" ");
  const player = playback({ title: "Step by step", show: (step) => shown().forEach((each) => each.show(step)), describe: says,
    hold: (step) => (shown().some((each) => each.variant().steps[step]?.changes.length > 1) ? 1.6 : 1) });
  function recolour() {
    const tints = stages[0].tint(by);
    if (both) stages[1].tint(by);
    colours.replaceChildren(...tints.slice(0, TINTS).map((name, place) => h("li", {}, h("span", { class: "box", "data-tint": place, "data-doing": "runs", "aria-hidden": "true" }), `${by === "depth" ? "depth " : ""}${name}`)),
      tints.length > TINTS ? h("li", {}, "and so on, again from the first") : "");
  }
  function load() {
    shown().forEach((each, side) => each.load(report.variants[both ? side : first], both ? "AB"[side] : ""));
    stages[1].element.hidden = !both;
    [shownNode, active] = [-1, 0];
    recolour();
    tell();
    const lengths = shown().map((each) => each.variant().steps.length), steps = Math.max(...lengths);
    const heights = Array.from({ length: steps }, (_, step) => shown().reduce((sum, each) => sum + Math.min(each.variant().steps[step]?.changes.length ?? 0, 8), 0));
    player.strip.replaceChildren(bars(heights.map((height) => [height, "c"]), steps, Math.max(...heights)));
    player.resize(steps);
    player.go(steps - 1);
    shown().forEach(({ frame }) => (frame.scrollTop = 0));
  }
  const runs = h("span", { hidden: both && "" }, select("Run", report.variants.map(({ label }) => label), (index) => load((first = index))));
  const beside = several ? h("label", { class: "choice" }, h("input", { type: "checkbox", checked: both && "", onchange: ({ target }) => {
    runs.hidden = both = target.checked;
    root.toggleAttribute("data-both", both);
    load();
  } }), "side by side") : null;
  const root = group(`Launch tree: ${report.title}`, "launch-tree", player.keydown,
    h("div", { class: "heading" }, h("b", {}, report.title), h("span", { class: "choices" }, runs, beside, select("Colour by", Object.keys(COLOURS), (index) => recolour((by = Object.keys(COLOURS)[index]))))),
    h("div", { class: "tree-and-grid" }, h("div", { class: "trees" }, ...stages.map(({ element }) => element)), player.element, panel),
    h("ul", { class: "legend", "aria-label": "Legend" }, ...report.doing.map(([state, meaning]) => h("li", {}, h("span", { class: "box", "data-doing": state, "aria-hidden": "true" }, MARKS[state]), meaning)),
      h("li", {}, svg("svg", { width: 10, height: 16, "aria-hidden": "true" }, svg("path", { class: "chain", d: "M5 0V10" }), svg("path", { class: "head", d: "M5 15l-3.5-5h7z" })), "the next in the same stream")), colours);
  root.toggleAttribute("data-both", both);
  load();
  return { element: root, stop: () => (stages.forEach((each) => each.stop()), player.stop()) };
}

export default widget(draw);
