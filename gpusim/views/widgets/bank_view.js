// The bank view: the banks of shared memory as columns, a request's wavefronts as rows, played one after the other.
import { accessStage, capital, count, group, h, laneStrip, playback, ranges, tellTitles, widget } from "./controls.js";

const STATES = {
  c: "served now",
  e: "served now, one word for several lanes: a broadcast",
  s: "waits: another lane has its bank",
  l: "comes in a later phase",
  d: "has been served",
  ".": "idle, asks for nothing",
};
const STRIP = "Wavefronts, one as long as the other: hatched where a bank conflict adds it";

const servedIn = (cells) => new Set(cells.flatMap(([, , lanes]) => lanes));
const inWords = ([bank, word, lanes]) => `bank ${bank} gives word ${word} to ${lanes.length > 1 ? "lanes" : "lane"} ${ranges(lanes)}`;
/** What a cell of wavefront k does while another one is `now`: in a later phase nobody has taken its bank. */
const stateAt = (k, now, waves, lanes) => (k > now ? (waves[k].phase > waves[now].phase ? "l" : "s") : k < now ? "d" : lanes.length > 1 ? "e" : "c");

/** All wavefronts of an access in order, with the conflicts so far. */
function wavefrontsOf(access) {
  const waves = access.phases.flatMap(({ wavefronts, conflicts }, phase) => wavefronts.map((cells, turn) => ({ phase, cells, extra: conflicts.includes(turn) })));
  waves.forEach((wave, k) => Object.assign(wave, { k, conflicts: waves.slice(0, k + 1).filter(({ extra }) => extra).length, waves }));
  return waves;
}

/** One character a lane: what it does in this wavefront. A wide access takes a lane to several banks: the last one counts. */
function laneStates({ k: now, waves }, lanes) {
  const states = Array(lanes).fill(".");
  const rank = ".dlsce"; // of the states that a lane's words are in, the later one here is told
  waves.forEach(({ cells }, k) => {
    for (const [, , served] of cells) {
      const state = stateAt(k, now, waves, served);
      for (const lane of served) if (rank.indexOf(state) > rank.indexOf(states[lane])) states[lane] = state;
    }
  });
  return states.join("");
}

/** Who waits for whom: ", lane 8 for lane 0 at bank 0". */
function conflict({ k, waves, phase, cells }) {
  for (const [bank, , [lane]] of cells) {
    const next = waves.slice(k + 1).filter((wave) => wave.phase === phase).flatMap((wave) => wave.cells).find(([other]) => other === bank);
    if (next && next[2][0] !== lane) return `, lane ${next[2][0]} for lane ${lane} at bank ${bank}`;
  }
  return "";
}

function sentence(wave, lanes) {
  const { cells } = wave;
  const broadcast = cells.filter(([, , served]) => served.length > 1).length;
  const states = laneStates(wave, lanes), [waiting, later] = ["s", "l"].map((wanted) => [...states].filter((state) => state === wanted).length);
  const work = cells.length === 1 ? inWords(cells[0])
    : `${cells.length} banks serve ${count(servedIn(cells).size, "lane")}` + (broadcast ? `, ${broadcast === cells.length ? "each" : broadcast} with a word for several lanes` : "");
  return `${work}; ${waiting ? `${count(waiting, "lane")} ${waiting > 1 ? "wait" : "waits"}${conflict(wave)}` : "no lane waits"}`
    + (later ? `; ${count(later, "lane")} ${later > 1 ? "come" : "comes"} in a later phase` : "");
}

/** All wavefronts of one access as rows over the banks. */
function bankTable(banks, { phases }, waves) {
  const rows = [];
  const element = h("div", { class: "banks", role: "img" });
  const line = (label, cells, attributes) => h("div", { class: "wavefront", ...attributes }, label, h("div", { class: "across", style: `--banks: ${banks}` }, ...cells));
  element.append(line(h("span", { class: "turn", "aria-hidden": "true" }), Array.from({ length: banks }, (_, bank) => h("span", {}, `${bank}`)),
    { class: "wavefront head" }));
  for (const { lanes: [first, last], name, wavefronts, conflicts } of phases) {
    if (phases.length > 1) element.append(h("p", { class: "phase" }, h("b", {}, name), ` lanes ${first}–${last}`));
    wavefronts.forEach((cells, turn) => {
      const boxes = Array.from({ length: banks }, () => h("span", {}));
      for (const [bank, word, lanes] of cells) {
        boxes[bank].className = "lane";
        boxes[bank].title = capital(inWords([bank, word, lanes]));
        boxes[bank].append(h("b", {}, lanes.length > 1 ? `×${lanes.length}` : `${lanes[0]}`), h("small", { class: word > 999 ? "long" : null }, `${word}`));
      }
      const extra = conflicts.includes(turn);
      const label = h("span", { class: "turn", title: extra ? "a bank conflict adds this wavefront" : null }, `${rows.length + 1}`);
      const row = line(label, boxes, { "data-extra": extra && "" });
      rows.push({ row, cells, boxes });
      element.append(row);
    });
  }
  return {
    element,
    show(now) {
      rows.forEach(({ row, cells, boxes }, k) => {
        row.toggleAttribute("data-now", k === now);
        for (const [bank, , lanes] of cells) boxes[bank].dataset.state = stateAt(k, now, waves, lanes);
      });
      const { row, cells } = rows[now];
      element.setAttribute("aria-label", `wavefront ${now + 1} of ${rows.length}: ${cells.map(inWords).join("; ")}`);
      element.tabIndex = element.scrollHeight > element.clientHeight ? 0 : -1; // what scrolls must take the focus
      // Scroll the panel, never the page; the phase's name stays in sight with its first wavefront.
      const top = row.offsetTop - element.firstChild.offsetHeight - 24, bottom = row.offsetTop + row.offsetHeight + 4;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
    },
  };
}

function draw(report) {
  let access, waves, table;
  const width = () => stage.variant().lanes;
  const lanes = laneStrip(STATES);
  const place = h("div", { class: "pictures" });
  const about = h("p", { class: "subtitle" });
  const event = h("p", { class: "event" });
  const soFar = h("p", { class: "so-far" });
  const total = h("p", { class: "so-far" });
  const player = playback({
    title: STRIP,
    show(step) {
      const wave = waves[step];
      table.show(step);
      lanes.show(laneStates(wave, width()));
      event.textContent = `${capital(sentence(wave, width()))}.`;
      soFar.textContent = `Wavefront ${wave.k + 1} of ${access.wavefronts}; conflicts so far ${wave.conflicts} of ${access.conflicts}.`;
      const { requests, wavefronts, conflicts } = stage.variant().totals;
      total.textContent = `In all: ${count(requests, "request")}, ${count(wavefronts, "wavefront")}, ${count(conflicts, "bank conflict")}.`;
    },
    describe: (step) => `wavefront ${step + 1} of ${access.wavefronts}: ${sentence(waves[step], width())}`,
  });
  const stage = accessStage(report, (chosen) => {
    const { banks } = stage.variant();
    access = chosen;
    waves = wavefrontsOf(access);
    table = bankTable(banks, access, waves);
    place.replaceChildren(table.element);
    about.textContent = `${banks} banks. A cell: the lane that its bank serves, below it the word. Bank = word mod ${banks}.`;
    lanes.resize(width());
    player.strip.replaceChildren(h("div", { class: "turns" }, ...waves.map(({ extra }) => h("span", { "data-state": extra ? "i" : "c" }))));
    player.resize(waves.length);
    player.go(0);
  });
  const root = group(`Bank view: ${report.title}`, "bank-view", player.keydown,
    h("div", { class: "heading" }, h("b", {}, report.title), stage.runs),
    stage.element,
    h("div", { class: "words" }, event, soFar, total),
    h("p", { class: "subtitle" }, "Lanes of the warp"), lanes.element, about, place, player.element,
    h("ul", { class: "legend", "aria-label": "Legend" }, ...Object.entries(STATES).map(([state, meaning]) =>
      h("li", {}, h("span", { class: "lane", "data-state": state, "aria-hidden": "true" }, state === "e" ? "×4" : "5"), meaning)),
    h("li", { class: "wavefront", "data-extra": "" }, h("span", { class: "turn", "aria-hidden": "true" }, "2"), "a wavefront that a bank conflict adds")));
  tellTitles(place, event, player.redraw);
  requestAnimationFrame(() => root.isConnected && player.redraw()); // what scrolls is known once it has a place
  stage.begin();
  return { element: root, stop: player.stop };
}

export default widget(draw);
