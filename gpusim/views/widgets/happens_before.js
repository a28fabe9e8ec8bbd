// The happens-before view: lanes of what was done, arrows of what orders it, and the chain between any two boxes.
import { bars, capital, count, group, h, playback, select, svg, widget } from "./controls.js";

const WORK = /^(launch|copy|memset|read|write|atomic|host)/; // what is done, not only waited for
const NEAR = 6; // pixels that a corner of an arrow takes, and from a lane to the arrows beside it

function draw(report) {
  let variant, cells = [], wires = [], picked = [], now = 0;
  const event = h("p", { class: "event" }), left = h("p", { class: "subtitle" });
  const verdict = h("div", { class: "verdict", role: "status", tabindex: 0 });
  const names = h("div", { class: "lane-names", "aria-hidden": "true" }), arrows = svg("svg", { "aria-hidden": "true" });
  const graph = h("div", { class: "happened", onclick: choose, onkeydown: move, onpointerover: tell, onfocusin: tell, onpointerleave: () => say(), onfocusout: () => say() });
  const frame = h("div", { class: "order-frame", role: "group", "aria-label": "What was done, from the first to the last" }, names, graph);
  const legend = h("ul", { class: "legend", "aria-label": "Legend" });

  const called = (box) => variant.boxes[box].called;
  const list = (boxes) => boxes.map(called).join(" and ");
  const because = (arrow) => `${variant.whys[arrow.why]}${arrow.via ? ` (${list(arrow.via)})` : ""}`;
  const follows = ({ after }) => after.map((arrow) => `${called(arrow.box)}: ${because(arrow)}`).join("; and ") || "nothing";
  const say = () => event.replaceChildren(`${variant.rows[now].says} `, h("code", {}, variant.rows[now].source));

  /** The boxes on the way from one to another, both included; nothing where the report has none. */
  function way(from, to) {
    const found = [from];
    while (found.at(-1) !== to) {
      const next = variant.boxes[to].next[found.at(-1)];
      if (next < 0) return [];
      found.push(next);
    }
    return found;
  }
  const between = (from, to) => variant.boxes[to].after.find(({ box }) => box === from);

  /** What orders the chosen ones, in words; their way lights up. */
  function judge() {
    const [first, second] = [...picked].sort((a, b) => a - b), lit = second == null ? [] : way(first, second);
    const pair = variant.pairs.find(({ boxes }) => boxes[0] === first && boxes[1] === second);
    const steps = lit.slice(1).map((box, place) => [box, between(lit[place], box)]);
    const through = steps.flatMap(([, arrow]) => arrow.via ?? []);
    cells.forEach((parts, box) => parts.forEach((part) => {
      part.toggleAttribute("data-lit", lit.includes(box) || through.includes(box));
      part.setAttribute("aria-pressed", picked.includes(box));
    }));
    wires.forEach(({ element, from, to }) => element.toggleAttribute("data-lit", lit.includes(to) && lit[lit.indexOf(to) - 1] === from));
    graph.toggleAttribute("data-chosen", lit.length);
    verdict.dataset.verdict = second == null ? "" : lit.length ? "ordered" : pair?.race ? "race" : "apart";
    if (second == null) {
      verdict.replaceChildren(h("p", {}, first == null ? `Choose two ${variant.what}: what orders them?` : `${capital(called(first))}. And which other?`));
    } else if (lit.length) {
      verdict.replaceChildren(h("p", {}, h("b", {}, "Ordered. "), `In ${count(lit.length - 1, "step")}:`), h("ol", {}, h("li", {}, called(first)),
        ...steps.map(([box, arrow]) => h("li", {}, `then ${called(box)}: ${because(arrow)}`))));
    } else {
      verdict.replaceChildren(h("p", {}, h("b", {}, "Not ordered: "), pair?.says ?? variant.apart), pair?.hint ? h("p", {}, h("b", {}, "To order them: "), `${pair.hint}.`) : "");
    }
  }
  function choose({ target }) {
    const box = Number(target.closest("[data-box]")?.dataset.box ?? -1);
    if (box < 0) return;
    if (picked.includes(box)) picked = picked.filter((each) => each !== box);
    else picked = picked.length > 1 ? [box] : [...picked, box];
    player.go(Math.max(now, variant.boxes[box].row));
    judge();
  }
  /** Up and down go from box to box; one of them is in the order of the Tab key. */
  function move(press) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[press.key], box = Number(press.target.dataset.box);
    if (!by || !cells[box + by]) return;
    press.preventDefault();
    cells[box + by][0].focus();
  }
  function tell({ target }) {
    const at = target.closest("[data-box], [data-arrow]");
    if (!at) return;
    if (at.dataset.arrow) {
      const { to, arrow } = wires[at.dataset.arrow];
      return event.replaceChildren(`${capital(called(to))} follows ${called(arrow.box)}: ${because(arrow)}.`);
    }
    const box = variant.boxes[at.dataset.box];
    event.replaceChildren(h("b", {}, capital(box.called)), ` follows ${follows(box)}.`);
    if (document.activeElement === at) cells.forEach(([part], each) => (part.tabIndex = each === Number(at.dataset.box) ? 0 : -1));
  }
  function show(step) {
    const moved = step !== now;
    now = step;
    cells.forEach((parts, box) => parts.forEach((part) => {
      const { row } = variant.boxes[box];
      part.toggleAttribute("data-later", row > step);
      part.toggleAttribute("data-now", row === step && step < variant.rows.length - 1); // the whole picture has no step of its own
    }));
    wires.forEach(({ element, to }) => element.toggleAttribute("data-later", variant.boxes[to].row > step));
    graph.querySelectorAll(".line").forEach((line, row) => line.toggleAttribute("data-now", row === step));
    const part = cells[variant.boxes.findIndex(({ row }) => row === step)]?.[0];
    if (moved && part && (part.offsetTop < frame.scrollTop || part.offsetTop + 64 > frame.scrollTop + frame.clientHeight)) frame.scrollTop = part.offsetTop - frame.clientHeight / 2;
    say();
  }

  /** From the foot of one box to the head of another below it, or beside the lanes to its side. */
  function line(from, to) {
    const pairs = cells[from].flatMap((a) => cells[to].map((b) => [a, b]));
    const middle = (each) => each.offsetLeft + each.offsetWidth / 2;
    const [a, b] = pairs.reduce((best, pair) => (Math.abs(middle(pair[0]) - middle(pair[1])) < Math.abs(middle(best[0]) - middle(best[1])) ? pair : best));
    const top = a.offsetTop + a.offsetHeight, [low, high] = [Math.max(a.offsetLeft, b.offsetLeft), Math.min(a.offsetLeft + a.offsetWidth, b.offsetLeft + b.offsetWidth)];
    if (high > low) return [`M${(low + high) / 2} ${top}V${b.offsetTop - 5}`, `M${(low + high) / 2} ${b.offsetTop}l-4-7h8z`];
    const side = middle(b) > middle(a) ? 1 : -1, x = side > 0 ? b.offsetLeft : b.offsetLeft + b.offsetWidth, y = b.offsetTop + b.offsetHeight / 2;
    const head = `M${x} ${y}l${-side * 6}-4v8z`, r = NEAR * side, turn = x - 1.6 * r;
    if (a.offsetTop === b.offsetTop) return [`M${middle(a)} ${y}H${x}`, head];
    return [`M${middle(a)} ${top}q0 ${NEAR} ${r} ${NEAR}H${turn - r}q${r} 0 ${r} ${NEAR}V${y - NEAR}q0 ${NEAR} ${r} ${NEAR}`, head];
  }
  function paint() {
    if (!variant || !graph.clientWidth) return;
    arrows.setAttribute("width", graph.clientWidth);
    arrows.setAttribute("height", graph.scrollHeight);
    wires = variant.boxes.flatMap(({ after }, to) => after.map((arrow) => {
      const stops = [arrow.box, ...(arrow.via ?? []), to];
      const lines = stops.slice(1).map((stop, place) => line(stops[place], stop));
      return { from: arrow.box, to, arrow, why: arrow.why, d: lines.map(([d]) => d).join(""), head: lines.map(([, head]) => head).join("") };
    })).map((wire, number) => ({ ...wire, element: svg("g", { "data-arrow": number, "data-why": wire.why }, svg("path", { class: "reach", d: wire.d }), svg("path", { d: wire.d }), svg("path", { class: "head", d: wire.head })) }));
    arrows.replaceChildren(...wires.map(({ element }) => element));
    show(now);
    judge();
  }
  /** A box, in one piece for every run of lanes side by side. */
  function pieces(box, number) {
    const runs = [];
    for (const lane of box.lanes) (runs.at(-1)?.at(-1) === lane - 1 ? runs.at(-1) : (runs.push([]), runs.at(-1))).push(lane);
    return runs.map((lanes, place) => h("button", { type: "button", "data-box": number, "data-kind": WORK.test(box.kind) ? box.kind.split(" ")[0] : "waits", tabindex: number || place ? -1 : 0, "aria-hidden": place ? "true" : null,
      "aria-label": `${box.called}, follows ${follows(box)}`, "aria-pressed": "false", style: `grid-area: ${box.row + 1} / ${lanes[0] + 2} / auto / span ${lanes.length}` },
      h("span", {}, box.text)));
  }
  function pick(index) {
    variant = report.variants[index];
    const { lanes, rows, boxes, whys } = variant;
    picked = [], wires = [];
    frame.style.setProperty("--lanes", lanes.length);
    names.replaceChildren(h("span", {}), ...lanes.map((lane) => h("span", {}, h("i", {}, lane.replace(/\S+$/, "")), lane.match(/\S+$/)[0])));
    frame.toggleAttribute("data-many", lanes.length > 5);
    cells = boxes.map(pieces);
    graph.replaceChildren(arrows, ...rows.map(({ line: number, source }, row) => h("p", { class: "line", "aria-hidden": "true", style: `grid-row: ${row + 1}` }, h("span", {}, `${number || ""}`), h("code", { title: source }, source))), ...cells.flat());
    left.textContent = variant.left_out ?? "";
    legend.replaceChildren(...Object.entries(whys).map(([why, says]) => h("li", { title: says }, svg("svg", { width: 26, height: 10, "data-why": why, "aria-hidden": "true" }, svg("path", { d: "M0 5H20" }), svg("path", { class: "head", d: "M26 5l-7-4v8z" })), why)));
    player.strip.replaceChildren(bars(rows.map((_, row) => {
      const here = boxes.filter((box) => box.row === row);
      return [here.length, here.some(({ kind }) => WORK.test(kind)) ? "c" : "e"];
    }), rows.length, Math.max(...rows.map((_, row) => boxes.filter((box) => box.row === row).length))));
    player.resize(rows.length);
    player.go(rows.length - 1);
    frame.scrollTop = 0;
    paint();
  }
  const player = playback({ title: "What is done, in order", show, describe: (step) => variant.rows[step].says });
  player.element.prepend(h("div", { class: "words" }, event));
  const root = group(`Happens before: ${report.title}`, "happens-before", player.keydown,
    h("div", { class: "heading" }, h("b", {}, report.title), h("span", { class: "choices" }, select("Run", report.variants.map(({ label }) => label), pick))),
    h("div", { class: "order-and-verdict" }, frame, verdict), legend, left, player.element);
  const resized = new ResizeObserver(paint);
  resized.observe(graph);
  pick(0);
  return { element: root, stop: () => (resized.disconnect(), player.stop()) };
}

export default widget(draw);
