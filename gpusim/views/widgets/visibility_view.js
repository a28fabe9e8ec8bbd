// The visibility view: grids as lanes, what each read sees, and what is lost without a barrier, a launch or a wait.
import { bars, capital, count, group, h, playback, svg, widget } from "./controls.js";
import { sights } from "./visibility_rules.js";

function draw(report) {
  const { boxes, grids, guards, rows } = report;
  const removed = new Set();
  let seen = sights(boxes, removed), now = 0, wires = [];
  const event = h("p", { class: "event" }), verdict = h("div", { class: "verdict", role: "status" });
  const called = (list, word = " or ") => list.map((box) => `the ${boxes[box].called}`).join(word);
  const first = (list) => (list.length ? called(list) : "what was there at first");
  /** "reads data[1]: sees …", in words. */
  const told = (read) => {
    const { sees, may, certain } = seen.get(read);
    if (certain) return `sees ${sees.length ? called(sees, " and ") : first(sees)}`;
    return may.length ? `may see ${called(may)}, or ${first(sees)}` : `may see ${called(sees)}: nothing says which comes last`;
  };
  const unsure = () => [...seen].filter(([, { certain }]) => !certain).map(([read]) => read);
  const here = (row) => boxes.flatMap((box, number) => (box.row === row ? [number] : []));
  const next = (row) => (rows[row + 1] ? ` Next: ${rows[row + 1].says}` : "");
  /** What happened at a step, what its reads see, and what comes next. */
  function says(row) {
    const reads = here(row).filter((box) => seen.has(box)), doubts = reads.filter((read) => !seen.get(read).certain);
    const gone = guards.filter((_, guard) => removed.has(guard) && here(row).some((box) => boxes[box].after.some((arrow) => arrow.guard === guard)));
    const [read] = doubts.length ? doubts : reads;
    const sight = read == null ? "" : doubts.length ? ` ${count(doubts.length, "read")} of ${reads.length} without a guarantee: the ${boxes[read].called} ${told(read)}.` : ` Each has its guarantee: the ${boxes[read].called} ${told(read)}.`;
    return `${rows[row].says}${gone.map((guard) => ` But ${guard.called} is removed: ${guard.without}.`).join("")}${sight}`;
  }
  const why = (box) => boxes[box].after.filter(({ box: other }) => boxes[other].grid !== boxes[box].grid).map((arrow) => `${boxes[arrow.box].called}: ${report.whys[arrow.why]}`).join("; ");

  const guardOf = (box) => boxes[box].after.map(({ guard = -1 }) => guard).find((guard) => guard >= 0) ?? -1;
  const chips = boxes.map((box, number) => {
    const guard = guardOf(number), text = box.cell || box.kind;
    return h(guard < 0 ? "span" : "button", { class: "chip", type: guard < 0 ? null : "button", "data-kind": box.kind, "data-box": number, title: `${box.called}${why(number) ? `. After ${why(number)}` : ""}`,
      ...(guard < 0 ? {} : { "aria-label": `Remove ${guards[guard].called}`, "aria-pressed": "false", onclick: () => toggle(guard) }) }, text);
  });
  const shape = ({ grid, block }) => `${grid.join(" × ")} blocks of ${block.join(" × ")} threads`;
  const origin = ({ by, stream }) => (by ? `, ${stream} stream, by thread ${by.thread.join(", ")} of block ${by.block.join(", ")} of ${grids[by.grid].called} (${by.at.file}, line ${by.at.line}: ${by.at.source.trim()})` : "");
  const names = grids.map((grid) => h("b", { style: `grid-column: ${grid.number + 2}`, title: `${grid.kernel}: ${shape(grid)}${origin(grid)}` }, grid.called));
  const cards = rows.map((row, number) => {
    const inside = here(number), { grid, who } = boxes[inside[0]];
    const label = inside.length > 1 || !who ? boxes[inside[0]].kind : `${boxes[inside[0]].kind}, ${who.replace(` of ${grids[grid].called}`, "")}`;
    return h("div", { class: "moment", style: `grid-area: ${number + 2} / ${grid + 2}` }, h("small", {}, label), ...inside.map((box) => chips[box]));
  });
  const lines = rows.map(({ line, source }, number) => h("p", { class: "line", style: `grid-area: ${number + 2} / 1`, title: source, "aria-hidden": "true" }, `${line || ""}`));
  const arrows = svg("svg", { "aria-hidden": "true" });
  const graph = h("div", { class: "seen" }, arrows, ...names, ...lines, ...cards);
  const frame = h("div", { class: "seen-frame", role: "group", "aria-label": "Grids, and what their threads do, from the first to the last" }, graph);
  frame.style.setProperty("--lanes", grids.length);
  const buttons = guards.map(({ called: name }, guard) => h("button", { type: "button", "aria-pressed": "false", onclick: () => toggle(guard) }, name));

  /** Take a guard away, or put it back; the step shown is the first that loses by it. */
  function toggle(guard) {
    const earlier = seen;
    removed[removed.has(guard) ? "delete" : "add"](guard);
    seen = sights(boxes, removed);
    const lost = unsure().filter((read) => earlier.get(read).certain || seen.get(read).may.some((box) => !earlier.get(read).may.includes(box)));
    if (lost.length) player.go(Math.min(...lost.map((read) => boxes[read].row)));
    else player.redraw();
  }
  /** How many reads are without a guarantee, in which lines, and what the guard removed last would do. */
  function judge() {
    const doubts = unsure(), lines = [...new Set(doubts.map((read) => rows[boxes[read].row].line))];
    verdict.dataset.verdict = doubts.length ? "race" : "ordered";
    const { called: name, without } = guards[[...removed].at(-1)] ?? {};
    verdict.replaceChildren(
      h("b", {}, doubts.length ? `${count(doubts.length, "read")} without a guarantee, in ${lines.length > 1 ? "lines" : "line"} ${lines.join(", ")}. ` : "Each read has its guarantee. "),
      name ? `Without ${name}: ${without}.` : "Remove a barrier, a launch or a wait: what is lost?");
  }
  function show(step) {
    now = step;
    cards.forEach((card, row) => {
      card.toggleAttribute("data-later", row > step);
      card.toggleAttribute("data-now", row === step);
    });
    chips.forEach((chip, box) => {
      const sight = seen.get(box), guard = guardOf(box);
      chip.toggleAttribute("data-unsure", sight?.certain === false);
      chip.toggleAttribute("data-sure", Boolean(sight?.certain));
      if (sight) chip.title = `${capital(boxes[box].called)} ${told(box)}`;
      if (guard >= 0) chip.setAttribute("aria-pressed", removed.has(guard));
    });
    buttons.forEach((button, guard) => button.setAttribute("aria-pressed", removed.has(guard)));
    wires.forEach(({ element, to, guard }) => {
      element.toggleAttribute("data-later", boxes[to].row > step);
      element.toggleAttribute("data-removed", removed.has(guard));
      element.toggleAttribute("data-now", boxes[to].row === step);
    });
    const card = cards[step];
    if (frame.clientHeight && (card.offsetTop < frame.scrollTop + 30 || card.offsetTop + card.offsetHeight > frame.scrollTop + frame.clientHeight)) frame.scrollTop = card.offsetTop - frame.clientHeight / 2;
    event.replaceChildren(h("b", {}, says(step)), next(step));
    judge();
  }
  /** From grid to grid: a launch, what is waited for, a stream. */
  function paint() {
    if (!graph.clientWidth) return;
    arrows.setAttribute("width", graph.clientWidth);
    arrows.setAttribute("height", graph.scrollHeight);
    const drawn = new Set();
    wires = boxes.flatMap(({ after, grid, row }, to) => after.filter(({ box }) => boxes[box].grid !== grid && !drawn.has(`${boxes[box].row} ${row}`) && drawn.add(`${boxes[box].row} ${row}`)).map(({ box, guard = -1 }) => {
      const [a, b] = [cards[boxes[box].row], cards[row]], right = b.offsetLeft > a.offsetLeft;
      const x = right ? a.offsetLeft + a.offsetWidth : a.offsetLeft, y = a.offsetTop + a.offsetHeight / 2, end = right ? b.offsetLeft : b.offsetLeft + b.offsetWidth, foot = b.offsetTop + b.offsetHeight / 2, side = right ? 1 : -1;
      return { to, guard, element: svg("g", {}, svg("path", { d: `M${x} ${y}C${x + 24 * side} ${y} ${end - 24 * side} ${foot} ${end - 6 * side} ${foot}` }), svg("path", { class: "head", d: `M${end} ${foot}l${-7 * side}-4v8z` })) };
    }));
    arrows.replaceChildren(...wires.map(({ element }) => element));
    show(now);
  }

  const player = playback({ title: "What is done, in order", show, describe: (step) => says(step) + next(step), hold: (step) => (here(step).some((box) => seen.has(box)) ? 2 : 1) });
  player.element.prepend(h("div", { class: "words" }, event));
  player.strip.replaceChildren(bars(rows.map((_, row) => [here(row).length, here(row).some((box) => boxes[box].cell) ? "c" : "e"]), rows.length, Math.max(...rows.map((_, row) => here(row).length))));
  const left = report.left_out ? h("p", { class: "subtitle" }, `${report.left_out.toLocaleString("en")} ${report.left_out === 1 ? "access more is" : "accesses more are"} left out.`) : null;
  const many = guards.length > 4; // a row of their own, above
  const choice = [h("p", { class: "subtitle" }, "Remove what orders:"), h("div", { class: "guards", role: "group", "aria-label": "Remove what orders" }, ...buttons)];
  const root = group(`Visibility: ${report.title}`, "visibility", player.keydown,
    h("div", { class: "heading" }, h("b", {}, report.title), h("span", {}, `CDP${report.cdp}`)),
    ...(many ? choice : []), h("div", { class: "order-and-verdict" }, frame, h("div", {}, ...(many ? [] : choice), verdict)), left, player.element);
  player.resize(rows.length);
  const resized = new ResizeObserver(paint);
  resized.observe(graph);
  return { element: root, stop: () => (resized.disconnect(), player.stop()) };
}

export default widget(draw);
