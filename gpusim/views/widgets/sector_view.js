// The sector view: a request of a run, from its lanes to the sectors that move for them, under three rules.
import { accessStage, bars, capital, count, group, h, playback, ranges, tellTitles, widget } from "./controls.js";
import { SECTOR } from "./sector_rules.js";
import { brokenScale, byteRange, sectorLines } from "./sector_lines.js";

const bytes = (number) => count(number, "byte");
const TODAY = "sectors32"; // under this rule a request's sectors have no order

/** First bytes of the sectors that anybody wants or any rule moves. */
function touched({ wants, width, rules }) {
  const found = new Set();
  const touch = (first, length) => {
    for (let at = Math.floor(first / SECTOR) * SECTOR; at < first + length; at += SECTOR) found.add(at);
  };
  for (const [, byte] of wants) touch(byte, width);
  for (const { moves } of Object.values(rules)) for (const [first, length] of moves) touch(first, length);
  return [...found].sort((a, b) => a - b);
}

/** The three rules side by side: what each moves for this request. Choosing one plays it. Folded at first under today's rule. */
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
  const fold = h("details", { class: "older" }, h("summary", { class: "subtitle" }, "The same addresses under three rules"),
    h("form", { class: "rules" }, h("fieldset", { "aria-label": "The same addresses under" }, ...rows.map(({ element }) => element))));
  return {
    element: fold,
    unfold: () => fold.open = true,
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
  let access, rule, sectors, scale, picked = false;
  const picture = sectorLines();
  const event = h("p", { class: "event" }), soFar = h("p", { class: "so-far" }), total = h("p", { class: "so-far" });
  const pieceOf = () => report.rules.find(({ key }) => key === rule).piece;
  const atOnce = () => rule === TODAY;
  const sentence = (step) => {
    const { moves, transfers, bytes_moved, percent_wanted } = access.rules[rule];
    if (atOnce()) return `${count(transfers, "sector")} ${transfers > 1 ? "move" : "moves"} at once: ${bytes(bytes_moved)}, ${percent_wanted === 100 ? "and every one is wanted" : `of which ${percent_wanted} % are wanted`}`;
    const [first, length, served] = moves[step];
    return `${byteRange(first, length)} move, for ${served.length > 1 ? "lanes" : "lane"} ${ranges(served)}`;
  };
  const player = playback({
    title: "Bytes that move in every step",
    show(step) {
      const { moves } = access.rules[rule], now = atOnce() ? moves.length - 1 : step;
      const states = Array(stage.variant().lanes).fill(".");
      for (const [lane] of access.wants) states[lane] = "s";
      moves.slice(0, now + 1).forEach(([, , served], at) => served.forEach((lane) => (states[lane] = at === now || atOnce() ? "c" : "d")));
      const over = (at, [first, length]) => at >= first && at < first + length;
      picture.show({ lanes: stage.variant().lanes, wants: access.wants, width: access.width, scale, states: states.join(""), name: `Memory of ${access.array}: ${sentence(step)}`,
        sectors: new Map(sectors.map((at) => {
          const often = moves.slice(0, now + 1).filter((move) => over(at, move)).length;
          return [at, [!often ? "no" : atOnce() || over(at, moves[now]) ? "now" : "before", often]];
        })) });
      event.textContent = `${capital(sentence(step))}.`;
      soFar.textContent = (atOnce() ? "The" : `${capital(pieceOf())} ${step + 1} of ${moves.length}, ${bytes(moves[now][3])} so far; the`) + ` lanes want ${bytes(access.bytes_wanted)} of ${access.array}, which begins at byte ${access.array_byte}.`;
      const { requests, [rule]: all } = stage.variant().totals;
      total.textContent = `All accesses of the run under this rule: ${count(requests, "request")}, ${count(all.transfers, pieceOf())}, ${bytes(all.bytes_moved)}.`;
    },
    describe: (step) => (atOnce() ? sentence(step) : `${pieceOf()} ${step + 1} of ${access.rules[rule].moves.length}: ${sentence(step)}`),
  });
  const rules = ruleSwitch(report, (key) => {
    rule = key;
    picked = true;
    relay();
  });
  const stage = accessStage(report, (chosen) => {
    access = chosen;
    sectors = touched(access);
    scale = brokenScale(sectors);
    if (!picked) rule = stage.variant().rule;
    if (rule !== TODAY) rules.unfold();
    relay();
  }, ({ kind }) => kind === "load");
  function relay() {
    const { moves } = access.rules[rule];
    rules.choose(rule);
    rules.say(access, stage.variant().rule);
    player.element.hidden = atOnce();
    player.strip.replaceChildren(bars(moves.map(([, length]) => [length, "c"]), moves.length, Math.max(128, ...moves.map(([, length]) => length))));
    player.resize(atOnce() ? 1 : moves.length);
    player.go(0);
  }
  const root = group(`Sector view: ${report.title}`, "sector-view", player.keydown,
    h("div", { class: "heading" }, h("b", {}, report.title), stage.runs),
    stage.element, rules.element,
    h("div", { class: "words" }, event, soFar, total), picture.element, player.element,
    h("p", { class: "subtitle" }, "Lanes above, memory below: solid what a lane wants, outlined the sectors of 32 bytes that move, hatched what nobody wants; grey what moved before, 2× what moves twice."));
  tellTitles(picture.strip, event, player.redraw);
  stage.begin();
  return { element: root, stop: player.stop };
}

export default widget(draw);
