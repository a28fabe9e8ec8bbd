// The sector view: memory as strips of 32-byte sectors, the lanes that want each, and what moves for them under three rules.
import { accessStage, bars, capital, count, group, h, laneStrip, only, playback, ranges, tellTitles, widget } from "./controls.js";

const STATES = {
  c: "wanted by lanes that are served now",
  s: "wanted by lanes that still wait",
  d: "wanted, has been moved",
  ".": "idle lane, asks for nothing",
};
const SECTOR = 32, LINE = 128, WORD = 4;
const STRIP = "Bytes that move in every step";
const bytes = (number) => `${number.toLocaleString("en")} byte${number === 1 ? "" : "s"}`;
const byteRange = (first, length) => `bytes ${first.toLocaleString("en")}–${(first + length - 1).toLocaleString("en")}`;

/** Lanes by the first byte of the cell they want; a cell is as wide as the access, and at least a word. */
function cellsOf({ wants, width }) {
  const size = Math.max(width, WORD), cells = new Map();
  for (const [lane, byte] of wants) {
    const first = Math.floor(byte / size) * size;
    cells.set(first, [...(cells.get(first) ?? []), lane]);
  }
  return { size, cells };
}

/** First bytes of the sectors that anybody wants or any rule moves, in lines. */
function sectorsOf({ wants, width, rules }) {
  const touched = new Set();
  const touch = (first, length) => {
    for (let at = Math.floor(first / SECTOR) * SECTOR; at < first + length; at += SECTOR) touched.add(at);
  };
  for (const [, byte] of wants) touch(byte, width);
  for (const { moves } of Object.values(rules)) for (const [first, length] of moves) touch(first, length);
  const lines = new Map();
  for (const at of [...touched].sort((a, b) => a - b)) {
    const line = Math.floor(at / LINE) * LINE;
    lines.set(line, [...(lines.get(line) ?? []), at]);
  }
  return lines;
}

/** The memory that an access touches; `show(moves, now)` plays a rule's `now`-th move. */
function memoryMap(access) {
  const { size, cells } = cellsOf(access);
  const sectors = new Map();
  let end = null;
  const lines = [...sectorsOf(access)].map(([line, found]) => {
    const gap = end != null && line > end;
    end = line + LINE;
    const parts = [];
    let next = line;
    for (const first of found) {
      if (first > next) parts.push(h("span", { class: "gap", title: `${bytes(first - next)} that no lane wants and no rule moves` }, "⋯"));
      next = first + SECTOR;
      const boxes = [];
      for (let at = first; at < first + SECTOR; at += size) {
        const lanes = cells.get(at) ?? [];
        const box = h("span", { class: lanes.length ? "lane" : "unwanted", style: size > WORD ? `grid-column: span ${size / WORD}` : null,
          title: `${capital(byteRange(at, size))}: ${lanes.length ? `lane${lanes.length > 1 ? "s" : ""} ${ranges(lanes)}` : "no lane wants them"}` },
        lanes.length > 1 ? `×${lanes.length}` : lanes.length ? `${lanes[0]}` : "");
        boxes.push({ box, lanes });
      }
      const often = h("span", { class: "often" });
      const element = h("div", { class: "sector" }, ...boxes.map(({ box }) => box), often);
      sectors.set(first, { element, boxes, often });
      parts.push(element);
    }
    return h("div", { class: "line", style: `--sectors: ${found.length}` },
      h("p", { class: "subtitle" }, gap ? "⋯ " : "", `byte ${line.toLocaleString("en")}`), h("div", { class: "sectors" }, ...parts));
  });
  const element = h("div", { class: "memory", role: "img" }, ...lines);

  return {
    element,
    show(moves, now) {
      const served = new Map();
      moves.slice(0, now + 1).forEach(([, , lanes], k) => lanes.forEach((lane) => served.set(lane, k)));
      const state = (lane) => (served.get(lane) === now ? "c" : served.has(lane) ? "d" : "s");
      const [first, length, lanesNow] = moves[now];
      for (const [at, { element: sector, boxes, often }] of sectors) {
        const moved = moves.slice(0, now + 1).filter(([start, size]) => at >= start && at < start + size).length;
        const moving = at >= first && at < first + length;
        sector.dataset.moved = moving ? "now" : moved ? "before" : "no";
        often.textContent = moved > 1 ? `moved ${moved}×` : "";
        for (const { box, lanes } of boxes) {
          if (!lanes.length) continue;
          const states = lanes.map(state);
          box.dataset.state = moving && states.includes("c") ? "c" : states.every((each) => each === "s") ? "s" : "d";
        }
      }
      element.setAttribute("aria-label", `${byteRange(first, length)} move now, for lanes ${ranges(lanesNow)}`);
      element.tabIndex = element.scrollHeight > element.clientHeight ? 0 : -1; // what scrolls must take the focus
      const sector = sectors.get(Math.floor(first / SECTOR) * SECTOR).element;
      const top = sector.offsetTop - element.offsetTop;
      if (top - 24 < element.scrollTop) element.scrollTop = top - 24;
      else if (top + 56 > element.scrollTop + element.clientHeight) element.scrollTop = top + 56 - element.clientHeight;
    },
  };
}

/** The three rules side by side: what each moves for this request. Choosing one plays it. */
function ruleSwitch({ rules }, changed) {
  const rows = rules.map(({ key, name, piece }) => {
    const input = h("input", { type: "radio", name: "rule", value: key, onchange: () => changed(key) });
    const own = h("small", {}, "");
    const pieces = h("span", { class: "pieces" });
    const share = h("span", { class: "share", "aria-hidden": "true" }, h("span", {}));
    const wanted = h("span", { class: "wanted" });
    return { key, piece, input, own, pieces, share, wanted,
      element: h("label", { class: "rule" }, input, h("span", {}, name, own), pieces, share, wanted) };
  });
  return {
    element: h("form", { class: "rules" }, h("fieldset", {}, h("legend", { class: "subtitle" }, "The same addresses under"), ...rows.map(({ element }) => element))),
    choose(key) {
      for (const row of rows) row.input.checked = row.key === key;
    },
    say(access, ownRule) {
      const most = Math.max(...Object.values(access.rules).map((rule) => rule.bytes_moved));
      for (const { key, piece, own, pieces, share, wanted } of rows) {
        const rule = access.rules[key];
        own.textContent = key === ownRule ? " (this device)" : "";
        pieces.textContent = `${count(rule.transfers, piece)}, ${bytes(rule.bytes_moved)}`;
        share.style.width = `${(100 * rule.bytes_moved) / most}%`;
        share.firstChild.style.width = `${rule.percent_wanted}%`;
        wanted.textContent = `${rule.percent_wanted} % wanted`;
      }
    },
  };
}

function draw(report) {
  let steps, maps, rule, chosen, picked = false;
  const lanes = laneStrip({ ...STATES, c: "served now", s: "waits", d: "has been served" });
  const place = h("div", { class: "pictures" });
  const about = h("p", { class: "subtitle" });
  const event = h("p", { class: "event" });
  const soFar = h("p", { class: "so-far" });
  const total = h("p", { class: "so-far" });
  const pieceOf = () => report.rules.find(({ key }) => key === rule).piece;
  const sentence = ({ move: [first, length, served] }) => `${byteRange(first, length)} move, for ${served.length > 1 ? "lanes" : "lane"} ${ranges(served)}`;
  const player = playback({
    title: STRIP,
    show(step) {
      const { access, moves, k, move } = steps[step];
      const map = maps.get(access);
      only(place, map.element);
      map.show(moves, k);
      about.textContent = `Memory in boxes of ${SECTOR} bytes, with the lanes that want them; ${access.array} begins at byte ${access.array_byte}.`;
      stage.say(access);
      rules.say(access, stage.variant().rule);
      const states = Array(stage.variant().lanes).fill(".");
      for (const [lane] of access.wants) states[lane] = "s";
      moves.slice(0, k + 1).forEach(([, , served], at) => served.forEach((lane) => (states[lane] = at === k ? "c" : "d")));
      lanes.show(states.join(""));
      event.textContent = `${capital(sentence(steps[step]))}.`;
      soFar.textContent = `${capital(pieceOf())} ${k + 1} of ${moves.length}: ${bytes(move[3])} moved so far; the lanes want ${bytes(access.bytes_wanted)}.`;
      const { requests, [rule]: all } = stage.variant().totals;
      total.textContent = `All together under this rule: ${count(requests, "request")}, ${count(all.transfers, pieceOf())}, ${bytes(all.bytes_moved)}.`;
    },
    describe: (step) => `${pieceOf()} ${steps[step].k + 1} of ${steps[step].moves.length}: ${sentence(steps[step])}`,
  });
  const rules = ruleSwitch(report, (key) => {
    rule = key;
    picked = true;
    relay();
  });
  const stage = accessStage(report, (accesses) => {
    chosen = accesses;
    maps = new Map(accesses.map((access) => [access, memoryMap(access)]));
    if (!picked) rule = stage.variant().rule;
    place.replaceChildren(...[...maps.values()].map(({ element }) => element));
    lanes.resize(stage.variant().lanes);
    relay();
  });
  function relay() {
    rules.choose(rule);
    steps = chosen.flatMap((access) => access.rules[rule].moves.map((move, k, moves) => ({ access, move, k, moves })));
    const most = Math.max(...steps.map(({ move }) => move[1]), LINE);
    player.strip.replaceChildren(bars(steps.map(({ move }) => [move[1], "c"]), steps.length, most));
    player.resize(steps.length);
    player.go(0);
  }
  const sample = (...children) => h("span", { class: "sector sample", "aria-hidden": "true" }, ...children);
  const root = group(`Sector view: ${report.title}`, "sector-view", player.keydown,
    h("div", { class: "heading" }, h("b", {}, report.title), stage.runs),
    stage.element, rules.element,
    h("div", { class: "words" }, event, soFar, total),
    h("p", { class: "subtitle" }, "Lanes of the warp"), lanes.element, about, place, player.element,
    h("ul", { class: "legend", "aria-label": "Legend" }, ...Object.entries(STATES).map(([state, meaning]) =>
      h("li", {}, h("span", { class: "lane", "data-state": state, "aria-hidden": "true" }, "5"), meaning)),
    h("li", {}, sample(h("span", { class: "unwanted" })), "moved, though nobody wants it")));
  tellTitles(place, event, player.redraw);
  requestAnimationFrame(() => root.isConnected && player.redraw()); // what scrolls is known once it has a place
  stage.begin();
  return { element: root, stop: player.stop };
}

export default widget(draw);
