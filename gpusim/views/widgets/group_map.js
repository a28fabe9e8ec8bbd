// The group map: a block's threads in the groups that they form, what a clicked one is in each, and collectives that fly.
import { bars, group, h, playback, ranges, select, slider, svg, widget } from "./controls.js";
import { levelsOf, range, stepsOf } from "./group_rules.js";

const KINDS = ["tiles", "coalesced", "binary", "labeled"];
const COLLECTIVES = ["shfl_down", "shfl_xor", "reduce", "inclusive_scan", "ballot", "sync"];
const FURTHER = [1, 2, 3, 4, 8, 16];
const MARKS = { waits: "…", done: "✓" }; // instead of a value
const TINTS = 6, FLIGHT = { duration: 280, easing: "ease-in-out" };

function draw(report) {
  const { threads } = report, sizes = range(8).map((power) => 2 ** power).filter((size) => size < 2 * threads);
  let { kind, tile, inner, by, collective: what, thread: cursor } = report, lanes, columns, levels, finest, plays, places, chosen = 0, at = 0;
  const clicked = [...report.conditions[0].of_threads], numbers = range(threads), calm = matchMedia("(prefers-reduced-motion: reduce)");
  const said = h("p", { class: "event" }), told = h("p", { class: "so-far" }), belongs = h("ul", { class: "belongs" }), shared = h("p", { class: "parts" });
  const cells = numbers.map((t) => h("span", { class: "member", "data-thread": t }, h("b", {}), h("small", {}), h("i", {})));
  const lines = svg("svg", { "aria-hidden": "true" });
  const map = h("div", { class: "members", role: "slider", tabindex: 0, "aria-label": "Thread of the block", "aria-valuemin": 0, "aria-valuemax": threads - 1,
    onpointerdown: ({ target }) => {
      const found = target.closest("[data-thread]");
      if (found) point(Number(found.dataset.thread), true);
    },
    onkeydown: (event) => {
      const to = { ArrowLeft: cursor - 1, ArrowRight: cursor + 1, ArrowUp: cursor - columns, ArrowDown: cursor + columns, Home: 0, End: threads - 1, Enter: cursor }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      if (cells[to]) point(to, event.key === "Enter");
    } });
  const of = (level) => numbers.map((t) => level.find((each) => each.threads.includes(t)));
  const name = () => (lanes > 32 ? "wave" : "warp");
  const picks = () => (kind === "labeled" ? report.labels : report.conditions);
  const text = () => picks()[chosen]?.text ?? "clicked";
  const partition = () => /^[bl]/.test(kind); // binary or labeled
  const stepOf = (each, step) => plays.get(each)[Math.min(step, plays.get(each).length - 1)];

  const player = playback({
    title: "The collective, step by step",
    show(step) {
      const next = step === at + 1;
      at = step;
      numbers.forEach((t) => {
        const each = finest[t], now = each && stepOf(each, at), rank = each?.threads.indexOf(t), [value, small] = cells[t].children;
        const mark = now?.marks[rank] ?? "";
        value.textContent = now ? MARKS[mark] ?? (mark === "spent" ? "" : now.values[rank]) : t;
        value.dataset.digits = value.textContent.length;
        small.textContent = now ? rank : "";
        cells[t].dataset.mark = mark;
      });
      told.textContent = player.describe(at);
      const own = finest[cursor];
      shared.hidden = !plays.get(own)?.at(-1).parts.length;
      shared.replaceChildren("Shared memory of the tile:", ...(own ? stepOf(own, at).parts : []).flatMap((part) => [" ", h("b", {}, `${part}`)]));
      arrows();
      if (next && !calm.matches) fly();
    },
    describe(step) {
      return finest[cursor] ? stepOf(finest[cursor], step).says : "It takes part in nothing here.";
    },
  });

  /** The middle, the top and the height of a cell, asked for once: a step reads no layout. */
  const placeOf = (t) => (places ??= cells.map((cell) => [cell.offsetLeft + cell.offsetWidth / 2, cell.offsetTop, cell.offsetHeight]))[t];
  /** Each value that comes from another rank: [thread, thread that had it, its value]. */
  const comings = (each) => stepOf(each, at).from.flatMap((from, rank) =>
    (at < plays.get(each).length && from >= 0 && from !== rank ? [[each.threads[rank], each.threads[from], stepOf(each, at - 1).values[from]]] : []));
  function fly() {
    for (const each of plays.keys()) for (const [to, from, value] of comings(each)) {
      const [shown, , ghost] = cells[to].children;
      ghost.textContent = value;
      const [x, y] = placeOf(from).map((at, axis) => at - placeOf(to)[axis]);
      ghost.animate([{ opacity: 1, translate: `${x}px ${y}px` }, { opacity: 1 }], FLIGHT);
      shown.animate([{ opacity: 0 }, { opacity: 0, offset: 0.9 }, {}], FLIGHT);
    }
  }
  /** What comes to ranks of the clicked thread's group now. */
  function arrows() {
    const paths = at && finest[cursor] ? comings(finest[cursor]).map(([to, from]) => {
      const [[x, top, tall], [to_x, to_top]] = [placeOf(from), placeOf(to)];
      const up = top > to_top, y = top < to_top ? top + tall : top, to_y = up ? to_top + tall : to_top, bend = top === to_top ? Math.min(12, 5 + Math.abs(x - to_x) / 12) : 0;
      return `M${x} ${y}C${x} ${y - bend} ${to_x} ${to_y - bend} ${to_x} ${to_y}m-2.5${up ? " 4l2.5-4l2.5 4" : "-4l2.5 4l2.5-4"}`;
    }) : [];
    lines.replaceChildren(svg("path", { d: paths.join("") }));
  }

  function point(thread, pressed) {
    cursor = thread;
    if (pressed && kind !== "tiles" && !picks()[chosen]) {
      clicked[cursor] = 1 - clicked[cursor];
      return form();
    }
    tell();
    player.redraw();
  }
  /** What the clicked thread is in each of its groups. */
  function tell() {
    const own = finest[cursor];
    const codes = ["this_thread_block()", kind === "coalesced" ? "coalesced_threads()" : `tiled_partition<${tile}>(block)`,
      partition() ? `${kind}_partition(tile, ${text()})` : kind === "tiles" ? `tiled_partition<${inner}>(tile)` : `tiled_partition(active, ${inner})`];
    const rows = levels.map((level, depth) => {
      const each = level.find((one) => one.threads.includes(cursor));
      return each ? [codes[depth], `${each.threads.indexOf(cursor)} of ${each.size}`, `${each.number} of ${each.groups}`, each.mask ? `0x${each.mask.toString(16).padStart(lanes / 4, "0")}` : "none",
        each.mask ? ranges(each.threads.map((t) => t % lanes)) : `all ${each.threads.length} threads`] : [codes[depth], "not in it"];
    });
    const [, rank, number, mask, names] = rows.at(-1);
    said.textContent = `Thread ${cursor} is lane ${cursor % lanes} of ${name()} ${Math.floor(cursor / lanes)}` + (!own ? `, where ${text()} is false: it is in no group but the block.`
      : `: rank ${rank} in group ${number}, ${own.mask ? `whose mask ${mask} names lanes ${names}` : `which has no mask, being wider than a ${name()}`}.`);
    belongs.replaceChildren(...[["", "rank", "meta rank", "mask", "lanes"], ...rows].map((row) => h("li", {}, ...row.map((part) => h("span", {}, part)))));
    numbers.forEach((t) => {
      cells[t].toggleAttribute("data-mine", own && finest[t] === own);
      cells[t].toggleAttribute("data-cursor", t === cursor);
    });
    map.setAttribute("aria-valuenow", cursor);
    map.setAttribute("aria-valuetext", said.textContent);
  }
  /** Rows of lanes, and the outlines: thick around a tile or what is coalesced, thin around what that is cut into. */
  function lay() {
    places = null;
    columns = map.clientWidth < 560 ? 16 : 32;
    const outer = of(levels[1]), whole = Math.ceil(threads / lanes) * lanes, style = `--columns: ${columns}; --lanes: ${lanes}`;
    if (map.getAttribute("style") !== style) map.replaceChildren(...range(whole / columns).flatMap((line) => [
      h("span", { class: "axis" }, line * columns % lanes ? `+${(line * columns) % lanes}` : `${name()} ${(line * columns) / lanes}`),
      ...range(columns).map((column) => cells[line * columns + column] ?? h("span", { class: "member idle" }))]), lines);
    map.setAttribute("style", style);
    numbers.forEach((t) => {
      const edges = (level) => (level[t] ? [t - 1, t + 1].filter((side) => level[t] !== level[side]).map((side) => "lr"[+(side > t)]).join("") : "");
      Object.assign(cells[t].dataset, { edge: edges(outer), cut: edges(finest) });
    });
    arrows();
  }
  function form() {
    const picked = picks()[chosen]?.of_threads ?? clicked, even = numbers.map((t) => 1 - (t % 2));
    levels = levelsOf({ threads, lanes, kind, tile, inner, picked });
    const groups = levels.at(-1);
    finest = of(groups);
    plays = new Map(groups.map((each) => [each, stepsOf(each, what, by, numbers, even)]));
    numbers.forEach((t) => (finest[t] ? (cells[t].dataset.tint = groups.indexOf(finest[t]) % TINTS) : delete cells[t].dataset.tint));
    at = 0;
    lay();
    tell();
    player.go(0);
    const longest = [...plays.values()].reduce((one, other) => (other.length >= one.length ? other : one), [0]);
    player.resize(longest.length);
    player.strip.replaceChildren(bars(longest.map((_, step) => [1 + step, "c"]), longest.length, longest.length));
  }
  /** What may be pushed and chosen for a kind of groups. */
  function offer() {
    const loose = kind === "coalesced";
    if (partition()) tile = Math.min(tile, lanes);
    const allowed = sizes.filter((size) => size <= lanes || !partition()), below = sizes.filter((size) => size < (loose ? lanes : tile));
    if (!below.includes(inner)) inner = 0;
    cut.replaceChildren(partition() ? "" : slider(loose ? "Tile of the group" : "Tile of each tile", [...below, "none"], inner ? below.indexOf(inner) : below.length, (place) => form(inner = below[place] ?? 0)).element);
    pick.replaceChildren(kind === "tiles" ? "" : chooser("Picked by", [...picks().map(({ text }) => text), "the lanes you click"], chosen, (index) => form(chosen = index)));
    first.element.hidden = loose;
    first.box.max = allowed.length - 1; // which moves it where it must
    first.box.setAttribute("aria-valuetext", (first.element.querySelector("b").textContent = tile));
    further.hidden = !what.startsWith("shfl");
    form();
  }
  const chooser = (label, texts, start, choose) => {
    const made = select(label, texts, choose);
    made.lastChild.selectedIndex = start;
    return made;
  };
  const cut = h("span", {}), pick = h("span", {});
  const first = slider("Tile of the block", sizes, sizes.indexOf(tile), (place) => offer(tile = sizes[place]));
  const further = chooser("by", FURTHER, FURTHER.indexOf(by), (index) => form(by = FURTHER[index]));
  const root = group(`Group map: ${report.title}`, "group-map", (event) => player.keydown(event),
    h("div", { class: "heading" }, h("b", {}, report.title), h("span", { class: "choices" },
      select("Warps of", report.variants.map(({ label }) => label), (index) => offer(lanes = report.variants[index].lanes)),
      chooser("Groups", KINDS, KINDS.indexOf(kind), (index) => offer(kind = KINDS[index], chosen = 0)))),
    h("div", { class: "requests" }, first.element, cut, pick), map, shared,
    h("div", { class: "words" }, said, belongs), player.element);
  player.element.prepend(h("div", { class: "collective" }, h("span", { class: "choices" }, chooser("Collective", COLLECTIVES, COLLECTIVES.indexOf(what), (index) => offer(what = COLLECTIVES[index])), further), told));
  lanes = report.variants[0].lanes;
  offer();
  const resized = new ResizeObserver(lay);
  resized.observe(map);
  return { element: root, stop: () => (resized.disconnect(), player.stop()) };
}

export default widget(draw);
