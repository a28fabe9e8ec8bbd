// The limits explorer: what a program asks of launches in kernels is pushed; the memory that it reserves and the calls that fail answer.
import { count, group, h, select, slider, widget } from "./controls.js";
import { DEFAULTS, workedOut } from "./limits_rules.js";

const UNITS = ["bytes", "KB", "MB", "GB"];
const number = (value) => value.toLocaleString("en");
/** "8 MB", "1.5 GB". */
function size(bytes) {
  let unit = 0;
  while (bytes >= 1024 && unit < 3) [bytes, unit] = [bytes / 1024, unit + 1];
  return `${number(Math.round(10 * bytes) / 10)} ${UNITS[unit]}`;
}
const upTo = (most, from = 0) => Array.from({ length: most - from + 1 }, (_, place) => from + place);
const doubled = (from, times) => Array.from({ length: times }, (_, place) => from * 2 ** place);
// of the report -> what it is called, its places, how they are written; the first two are what the program does
const SLIDERS = {
  depth: ["Depth of launches", upTo(30, 1), number],
  launches: ["Launches at once", [1, 10, 100, 1000, 2000, 2045, 2047, 2048, 3000, 4000, 5000, 10000, 20000, 50000, 100000], number],
  synchronization_depth: ["Levels that may wait", upTo(25), number],
  pending_launches: ["Pending launches", [0, ...doubled(256, 13)], number],
  stack_bytes: ["Stack of a thread", doubled(256, 12), size],
  heap_bytes: ["Heap", [0, ...doubled(2 ** 20, 18)], size],
};

function draw(report) {
  const asked = Object.fromEntries(["cdp", ...Object.keys(SLIDERS)].map((name) => [name, report[name]]));
  let variant = report.variants[0];
  const figure = h("b", {}), told = h("span", {});
  const bar = h("div", { class: "memory-bar", role: "img" }), rows = h("ol", { class: "reserved-rows", "aria-label": "Memory that is reserved" });
  const list = h("ol", { class: "limited-calls", "aria-label": "Calls and their answers" });

  function show() {
    const { reserved, free_bytes: free, calls } = workedOut(variant, asked, report.sentences);
    const usual = Object.entries(DEFAULTS).map(([name, value]) => asked[name] === value); // nobody calls for these
    const answers = calls.filter((_, place) => !usual[place]);
    const failed = answers.filter(([, error]) => error), whole = variant.memory_bytes, share = (bytes) => `${(100 * bytes) / whole}%`;
    figure.textContent = `${size(whole - free)} of ${size(whole)} reserved`;
    told.textContent = failed.length ? `${count(failed.length, "call")} of ${answers.length} fail${failed.length === 1 ? "s" : ""}: ${[...new Set(failed.map(([, error]) => error))].join(", ")}.` : "All calls succeed.";
    bar.replaceChildren(...reserved.map(([, bytes], row) => h("i", { "data-row": row, style: `width: ${share(bytes)}` })));
    bar.setAttribute("aria-label", `${reserved.map(([name, bytes]) => `${name}: ${size(bytes)}`).join(", ")}; left: ${size(free)}`);
    rows.replaceChildren(...reserved.map(([name, bytes, how], row) => bytes && h("li", {}, h("i", { "data-row": row, "aria-hidden": "true" }), h("span", {}, name), h("b", {}, size(bytes)), h("small", {}, how))).filter(Boolean),
      h("li", {}, h("i", { "aria-hidden": "true" }), h("span", {}, "left"), h("b", {}, size(free))));
    list.replaceChildren(...answers.map(([call, error, why]) => h("li", { "data-failed": error ? "" : null }, h("code", {}, call), h("b", {}, error || "cudaSuccess"), " ", h("small", {}, why))));
  }
  const sliders = Object.entries(SLIDERS).map(([name, [label, usual, write]]) => {
    const places = [...new Set([...usual, asked[name]])].sort((a, b) => a - b);
    return slider(label, places.map(write), places.indexOf(asked[name]), (place) => show(asked[name] = places[place])).element;
  });
  const runtime = select("Device runtime", ["CDP1", "CDP2"], (index) => show(asked.cdp = index + 1));
  runtime.lastChild.selectedIndex = asked.cdp - 1;
  const device = select("Device", report.variants.map(({ label }) => label), (index) => show(variant = report.variants[index]));
  const root = group(`Limits explorer: ${report.title}`, "limits-explorer", null,
    h("div", { class: "heading" }, h("b", {}, report.title), device, runtime),
    h("div", { class: "asked-of-limits" }, h("div", {}, h("p", { class: "subtitle" }, "What kernels do"), ...sliders.slice(0, 2)),
      h("div", {}, h("p", { class: "subtitle" }, "What the host sets before"), ...sliders.slice(2))),
    h("p", { class: "limits-words", role: "status" }, figure, ". ", told), bar,
    h("div", { class: "answers-of-limits" }, rows, list));
  show();
  return { element: root, stop() {} };
}

export default widget(draw);
