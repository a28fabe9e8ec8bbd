// What views share: elements, selects, lane bars, the source, and the playback controls.

/** Make an HTML element; `on…` attributes are listeners, null and false ones are left out. */
export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/** Make an SVG element. */
export const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value != null && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

/** A labelled native select over texts; hidden while there is nothing to choose. */
export function select(label, texts, choose) {
  const box = h("select", { onchange: () => choose(box.selectedIndex) }, ...texts.map((text) => h("option", {}, text)));
  return h("label", { class: "choice", hidden: texts.length < 2 && "" }, h("span", {}, label), box);
}

/** A slider over texts, with the text it stands at beside its name. */
export function slider(label, texts, start, choose) {
  const shown = h("b", { "aria-hidden": "true" }, texts[start]);
  const box = h("input", { type: "range", min: 0, max: texts.length - 1, step: 1, value: start, "aria-label": label, "aria-valuetext": texts[start],
    oninput: () => {
      box.setAttribute("aria-valuetext", (shown.textContent = texts[box.valueAsNumber]));
      choose(box.valueAsNumber);
    } });
  return { box, element: h("label", { class: "slider" }, h("span", {}, label, " ", shown), box) };
}

/** A slider over a strip of bars, one for each place it can stand at; `resize` takes [text, height] of each. */
export function pushed(label, choose) {
  const strip = h("div", { class: "strip", "aria-hidden": "true" }), texts = h("div", { class: "places", "aria-hidden": "true" });
  const box = h("input", { type: "range", min: 0, step: 1, "aria-label": label, oninput: () => choose(box.valueAsNumber) });
  let places = [];
  return {
    element: h("div", { class: "pushed" }, h("p", { class: "subtitle" }, label), h("div", { class: "timeline" }, strip, box), texts),
    push: choose,
    resize(all, full) {
      places = all;
      box.max = all.length - 1;
      box.parentNode.parentNode.style.setProperty("--steps", all.length);
      box.parentNode.parentNode.toggleAttribute("data-dense", all.length > 12);
      strip.replaceChildren(bars(all.map(([, height]) => [height, "c"]), all.length, full));
      texts.replaceChildren(...all.map(([text, height], place) => h("span", { onclick: () => choose(place) }, `${text}`, h("small", {}, `${height}`))));
    },
    go(place) {
      box.value = place;
      const [text, height] = places[place];
      box.setAttribute("aria-valuetext", `${text}: ${height}`);
      [...texts.children].forEach((each, at) => each.toggleAttribute("data-now", at === place));
    },
  };
}

/** "0–15, 20": ascending numbers as ranges. */
export function ranges(numbers) {
  const parts = [];
  for (const number of numbers) {
    const last = parts.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else parts.push([number, number]);
  }
  return parts.map(([low, high]) => (low === high ? `${low}` : `${low}–${high}`)).join(", ");
}

/** One tick a lane, lane 0 at the left; `states` holds one character a lane, `.` draws nothing. */
export function laneBar(states) {
  const ticks = {};
  [...states].forEach((state, lane) => {
    if (state !== ".") ticks[state] = (ticks[state] ?? "") + `M${lane + 0.1} 0h.8v1h-.8z`;
  });
  return svg("svg", { class: "bar", viewBox: `0 0 ${states.length} 1`, preserveAspectRatio: "none", "aria-hidden": "true" },
    ...Object.entries(ticks).map(([state, d]) => svg("path", { d, "data-state": state })));
}

/** Bars on a scale of `steps` by `full`, one for each [height, state] in turn: the strip under a scrubber. */
export function bars(heights, steps, full) {
  const paths = {};
  heights.forEach(([height, state], step) => {
    if (height) paths[state] = (paths[state] ?? "") + `M${step + 0.06} ${full}v${-height}h.88v${height}z`;
  });
  return svg("svg", { viewBox: `0 0 ${steps} ${full}`, preserveAspectRatio: "none" },
    ...Object.entries(paths).map(([state, d]) => svg("path", { d, "data-state": state })));
}

/** The lanes in a wanted state. */
export const lanesOf = (states, wanted) => [...states].flatMap((state, lane) => (state === wanted ? [lane] : []));

/** Lanes of a hexadecimal mask as one character a lane: `letter` where set, `.` elsewhere. */
export function maskStates(mask, lanes, letter) {
  const bits = BigInt(`0x${mask}`);
  return Array.from({ length: lanes }, (_, lane) => ((bits >> BigInt(lane)) & 1n ? letter : ".")).join("");
}

const PYTHON = /(#.*)|("""[^]*?"""|"[^"\n]*"|'[^'\n]*')|\b(and|break|continue|def|elif|else|for|if|in|not|or|pass|return|while|True|False|None)\b/g;
const CUDA = /(\/\/.*|\/\*[^]*?\*\/)|("(?:[^"\\\n]|\\.)*"|(?<!\w)'(?:[^'\\\n]|\\.)+')|(^[ \t]*#[ \t]*\w+|\b(?:__\w+__|alignas|auto|bool|break|case|char|class|const|constexpr|continue|default|do|double|else|enum|extern|false|float|for|goto|if|inline|int|long|namespace|nullptr|operator|return|short|signed|sizeof|static|struct|switch|template|this|true|typedef|typename|union|unsigned|using|void|volatile|while)\b)/gm;

/** Each line as text and coloured spans; a comment may go over several lines. */
function highlighted(lines, grammar) {
  const text = lines.join("\n"), rows = [[]];
  const add = (piece, kind) => piece.split("\n").forEach((part, index) => {
    if (index) rows.push([]);
    if (part) rows.at(-1).push(kind ? h("span", { class: kind }, part) : part);
  });
  let end = 0;
  for (const match of text.matchAll(grammar)) {
    const kind = ["comment", "string", "keyword"][[match[1], match[2], match[3]].findIndex(Boolean)];
    add(text.slice(end, match.index));
    add(match[0], kind);
    end = match.index + match[0].length;
  }
  add(text.slice(end));
  return rows.map((row) => (row.length ? row : [" "]));
}

/** The source; `mark(sides)` shows where lanes stand: of each side the line it runs, and marks [line, state, text, title]. */
export function sourceView(source) {
  const grammar = source.lines.some((line) => /^\s*(@|def )/.test(line)) ? PYTHON : CUDA;
  const texts = highlighted(source.lines, grammar);
  const rows = texts.map((text, index) => {
    const places = [h("span", { class: "standing" }), h("span", { class: "standing" })];
    const element = h("li", {}, ...places, h("span", { class: "number" }, `${source.first_line + index}`),
      h("span", { class: "text", style: `--in: ${source.lines[index].search(/\S|$/) + 2}ch` }, ...text));
    return { element, places };
  });
  const element = h("div", { class: "source", role: "group", tabindex: 0, "aria-label": `Source of ${source.name}` },
    h("div", { class: "sides", "aria-hidden": "true" }, h("b", {}, "A"), h("b", {}, "B")),
    h("ol", {}, ...rows.map((row) => row.element)));

  let scrolls = false; // asked only when the size changes: a step reads no layout
  new ResizeObserver(() => (scrolls = element.scrollHeight > element.clientHeight)).observe(element);
  function put(side, line, state, text, title) {
    const place = rows[line - source.first_line]?.places[side];
    if (!place || place.firstChild) return;
    place.append(h("span", { class: "lane", "data-state": state, title }, text));
  }
  function mark(sides) {
    for (const { element: line, places } of rows) {
      line.removeAttribute("aria-current");
      for (const cell of places) if (cell.firstChild) cell.replaceChildren();
    }
    sides.map(({ line: current, marks }, side) => {
      for (const [line, state, text, title] of marks) put(side, line, state, text, title);
      const row = rows[current - source.first_line]?.element;
      row?.setAttribute("aria-current", "step");
      return row;
    }).reverse().forEach((row) => {
      if (!row || !scrolls) return;
      // Scroll the panel, never the page; where both sides have no room, the first is seen.
      const top = row.offsetTop - element.offsetTop;
      if (top < element.scrollTop + 24) element.scrollTop = top - 24;
      else if (top + 48 > element.scrollTop + element.clientHeight) element.scrollTop = top + 48 - element.clientHeight;
    });
  }
  return { element, mark };
}

/** Names of a variant's warps; with their block where there is more than one. */
export function warpNames({ warps }) {
  const severalBlocks = new Set(warps.map(({ block }) => `${block}`)).size > 1;
  return warps.map(({ block, warp }) => (severalBlocks ? `block (${block.join(", ")}), ` : "") + `warp ${warp}`);
}

/** "1 lane", "2 lanes". */
export const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
export const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** The line says what the cell under the pointer, or the last one tapped, has as its title. */
export function tellTitles(pictures, line, back) {
  for (const type of ["pointerover", "pointerdown"]) {
    pictures.addEventListener(type, ({ target }) => {
      const cell = target.closest("[title]");
      if (cell) line.textContent = `${cell.title}.`;
    });
  }
  pictures.addEventListener("pointerleave", back);
}

/** A cell for every lane; `show` takes one character a lane, whose meaning `states` gives. */
export function laneStrip(states) {
  const element = h("div", { class: "lanes wide", role: "img" });
  return {
    element,
    resize: (lanes) => element.replaceChildren(...Array.from({ length: lanes }, (_, lane) => h("span", { class: "lane" }, `${lane}`))),
    show(text) {
      [...text].forEach((state, lane) => {
        element.children[lane].dataset.state = state;
        element.children[lane].title = `lane ${lane}: ${states[state]}`;
      });
      element.setAttribute("aria-label", Object.keys(states).filter((state) => text.includes(state))
        .map((state) => `lanes ${ranges(lanesOf(text, state))}: ${states[state]}`).join("; "));
    },
  };
}

/** Runs and their memory accesses to choose from; `changed(access)` when another is to be shown, first of all one that is `preferred`. */
export function accessStage(report, changed, preferred = () => true) {
  let variant;
  const name = ({ line, kind, expression, warp, alike }) => `line ${line}: ${kind} ${expression}, warp${alike.length ? "s" : ""} ${ranges([warp, ...alike].sort((a, b) => a - b))}`;
  const slot = h("span", { class: "slot" });
  const code = h("code", {});
  const caption = h("p", { class: "subtitle" });

  function choose(index) {
    variant = report.variants[index];
    const { accesses } = variant, first = Math.max(0, accesses.findIndex(preferred));
    slot.replaceChildren(select("Access", accesses.map(name), (chosen) => show(accesses[chosen])));
    slot.querySelector("select").selectedIndex = first;
    show(accesses[first]);
  }
  function show(access) {
    const { line, source, kind, width, expression, warp, alike, times } = access;
    code.textContent = source;
    caption.textContent = `Line ${line}: ${kind} ${expression}, ${count(width, "byte")} per lane`
      + `${alike.length ? `, in warp ${warp} and likewise ${ranges(alike)}` : ""}${times > 1 ? `, ${times} times in all` : ""}.`
      + (variant.left_out ? ` ${variant.left_out} more of its accesses are not drawn.` : "");
    changed(access);
  }
  const labels = report.variants.map(({ label }) => label);
  return {
    runs: report.sweep ? slider(report.sweep, labels, 0, choose).element : select("Run", labels, choose),
    element: h("div", { class: "access" }, slot, h("p", { class: "code" }, code), caption),
    variant: () => variant,
    begin: () => choose(0),
  };
}

const ICONS = {
  first: "M4 5h2.4v14H4zM13 5v14l-6-7zM21 5v14l-7-7z",
  back: "M5 5h2.6v14H5zM19 5v14L9 12z",
  play: "M7 4v16l13-8z",
  pause: "M6 4h4.5v16H6zM13.5 4H18v16h-4.5z",
  step: "M16.4 5H19v14h-2.6zM5 5v14l10-7z",
  last: "M17.6 5H20v14h-2.4zM11 5v14l6-7zM3 5v14l7-7z",
};
const SPEEDS = [0.5, 1, 2, 4, 8];
const STEP_MS = 900;
const CALM_STEP_MS = 1800; // where the reader asked for reduced motion

/**
 * First, back, play, step, last, a scrubber laid over a strip, and speed.
 * `title` names the strip; `show(step)` draws a step; `describe(step)`
 * says it in words; `hold(step)` is how many times as long as others it stands.
 * Paper has one step. Where nobody has played, it is the first of those that stand longest, or, if all stand alike, the last.
 */
export function playback({ title, show, describe, hold = () => 1 }) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let count = 1, step = 0, speed = 1, timer = 0;

  const icon = (name) => svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
  const button = (name, label, press) =>
    h("button", { type: "button", class: name, title: label, "aria-label": label, onclick: press }, icon(name));
  const first = button("first", "First step", () => jump(0));
  const back = button("back", "One step back", () => jump(step - 1));
  const play = button("play", "Play", () => (timer ? stop() : start()));
  const forward = button("step", "One step forward", () => jump(step + 1));
  const last = button("last", "Last step", () => jump(count - 1));
  const counter = h("span", { class: "counter" });
  const pace = select("Speed", SPEEDS.map((factor) => `${factor}×`), (index) => (speed = SPEEDS[index]));
  pace.lastChild.selectedIndex = SPEEDS.indexOf(speed);
  const scrubber = h("input", { type: "range", min: 0, step: 1, "aria-label": "Step", oninput: () => jump(scrubber.valueAsNumber) });
  const strip = h("div", { class: "strip", "aria-hidden": "true" });
  const name = h("p", { class: "subtitle" }, title);
  const status = h("p", { role: "status", class: "spoken" });

  function draw() {
    scrubber.value = step;
    scrubber.setAttribute("aria-valuetext", describe(step));
    counter.textContent = `step ${step + 1} of ${count}`;
    first.disabled = back.disabled = step === 0;
    forward.disabled = last.disabled = step === count - 1;
    // A reader of the scrubber hears its value text; while playing, nobody wants every step read out.
    status.setAttribute("aria-live", timer || document.activeElement === scrubber ? "off" : "polite");
    status.textContent = describe(step);
    show(step);
  }
  const pause = () => ((calm.matches ? CALM_STEP_MS : STEP_MS) * hold(step)) / speed;
  function go(target) {
    step = Math.max(0, Math.min(count - 1, target));
    draw();
  }
  function jump(target) {
    stop();
    go(target);
    // A disabled button loses the focus and with it the keyboard: hand it to the scrubber.
    if (document.activeElement?.disabled) scrubber.focus();
  }
  function start() {
    if (step === count - 1) step = -1;
    playing(true);
    tick();
  }
  function tick() {
    if (!scrubber.isConnected) return stop();
    go(step + 1);
    if (step === count - 1) return stop();
    timer = setTimeout(tick, pause());
  }
  function stop() {
    clearTimeout(timer);
    timer = 0;
    playing(false);
  }
  function playing(on) {
    if (on) timer = -1; // marks "playing" before the first timeout exists
    play.replaceChildren(icon(on ? "pause" : "play"));
    play.title = on ? "Pause" : "Play";
    play.setAttribute("aria-label", play.title);
  }
  function telling() {
    const holds = Array.from({ length: count }, (_, each) => hold(each)), longest = Math.max(...holds);
    return holds.every((each) => each === longest) ? count - 1 : holds.indexOf(longest);
  }
  function print() {
    if (!scrubber.isConnected) return removeEventListener("beforeprint", print);
    if (step || timer) return;
    addEventListener("afterprint", () => go(0), { once: true });
    go(telling());
  }
  addEventListener("beforeprint", print);
  const KEYS = {
    " ": () => play.click(),
    ArrowLeft: () => jump(step - 1),
    ArrowRight: () => jump(step + 1),
    Home: () => jump(0),
    End: () => jump(count - 1),
  };

  return {
    element: h("div", { class: "controls" }, name,
      h("div", { class: "timeline" }, strip, scrubber),
      h("div", { class: "toolbar" }, h("div", { class: "buttons" }, first, back, play, forward, last), h("span", { class: "keys" }, "← → space"), counter, pace),
      status),
    strip, name, describe, go, stop, redraw: draw,
    /** Start over with so many steps, staying at the step shown where it still exists. */
    resize(steps) {
      stop();
      count = steps;
      scrubber.parentNode.parentNode.toggleAttribute("data-single", count === 1); // nothing to play
      scrubber.max = count - 1;
      scrubber.parentNode.style.setProperty("--steps", count);
      go(step);
    },
    /** Keys work wherever the focus is inside the view, except where the control has its own use for them. */
    keydown(event) {
      const own = (event.target !== scrubber && event.target.matches("select, input")) || (event.key === " " && event.target.matches("button"));
      if (own || event.altKey || event.ctrlKey || event.metaKey || !KEYS[event.key]) return;
      event.preventDefault();
      event.stopPropagation();
      KEYS[event.key]();
    },
  };
}

/** The frame every view sits in: a labelled group that takes the focus when clicked. */
export function group(label, kind, keydown, ...children) {
  return h("div", { class: `gpusim ${kind}`, role: "group", "aria-label": label, tabindex: -1, onkeydown: keydown,
    "data-lm-suppress-shortcuts": "true" }, ...children); // keeps JupyterLab's own keys out
}

/** A widget from `draw(report, model)`, which returns the view and how to stop it; drawn afresh when the report changes. */
export const widget = (draw) => ({
  render({ model, el }) {
    let view;
    const redraw = () => {
      view?.stop();
      view = draw(model.get("report"), model);
      el.replaceChildren(view.element);
    };
    redraw();
    model.on("change:report", redraw);
    return () => {
      view.stop();
      model.off("change:report", redraw);
    };
  },
});
