// What a cell gave, put where its output stood.
export const h = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};
const ACTIVE = [
  'script:not([type="application/json"])', "iframe", "frame", "object", "embed", "link", "meta", "base", "form", "template",
  "animate", "set",
].join(", ");

const LINKED = new Set(["http:", "https:", "mailto:"]), RUN = new Set(["javascript:", "vbscript:"]);
// those that the course's own views and tables have; others would command the theme
const DATA = new Set(["data-gpusim-view", "data-control", "data-filter", "data-chapter", "data-head"]);
const FETCHED = /^(src|srcset|poster|background|data|ping|(xlink:)?href)$/i, OWN = /^\s*(#|data:image\/)/i;
const FETCHES = /@import|url\(\s*["']?(?!["'#]|data:image)/i, COMMANDS = /^(on|popover|command|form)/i;

/** What kind of address a browser takes a text for; it passes over tabs, and reads `%6A` and `&#106;` its own way. */
function schemeOf(text) {
  try {
    return new URL(text, location.href).protocol;
  } catch {
    return "";
  }
}

/** Does an element of the page have this id, which its links and scripts know? What a cell shows comes and goes. */
function isThePages(id) {
  const element = document.getElementById(id);
  return Boolean(element && !element.closest(".cell_output, .live-beside"));
}

const GROUPS = ["CSSMediaRule", "CSSSupportsRule", "CSSContainerRule"];

/**
 * Rules that dress elements stay, also under a condition; a name that a sheet gives, as by `@property`, is the page's.
 */
function dressing(group) {
  for (let at = group.cssRules.length - 1; at >= 0; at--) {
    const rule = group.cssRules[at], kind = rule.constructor.name;
    if (GROUPS.includes(kind)) dressing(rule);
    else if (kind !== "CSSStyleRule") group.deleteRule(at);
  }
}

/**
 * The rules of a cell's style sheet, for what stands in `place` and nothing else of the page; each as a browser read it,
 * so that no bracket ends the scope.
 */
function scoped(text, place) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  dressing(sheet);
  return `@scope (${place}) {\n${Array.from(sheet.cssRules, ({ cssText }) => cssText).join("\n")}\n}`;
}

/** Does an attribute command the page, take a name of its own, or run or fetch something? */
function acts(element, { name, value }) {
  const scheme = schemeOf(value), rules = name === "style" ? element.style?.cssText : "";
  if (name.startsWith("data-")) return !DATA.has(name) || RUN.has(scheme);
  if (name === "name" && !element.matches("input")) return true; // `document.createElement` would be that element
  if (name === "id" && isThePages(value)) return true;
  if (COMMANDS.test(name) || RUN.has(scheme)) return true;
  if (!FETCHED.test(name)) return FETCHES.test(value) || FETCHES.test(rules);
  return element.matches("a") && name === "href" ? !LINKED.has(scheme) : !OWN.test(value);
}

/**
 * HTML that a cell made, which a link may have brought: nothing in it runs or fetches. What is overlooked here, the
 * page's policy stops (policy.py). A view's report is JSON, which does not. Its styles are for `place`, a selector.
 */
export function harmless(html, place) {
  const { content } = h("template", { innerHTML: html });
  for (const element of content.querySelectorAll("*")) {
    if (element.matches(ACTIVE)) element.remove();
    else if (element.matches("style")) {
      const text = element.textContent, rules = scoped(text, place); // which has no escapes any more
      if (FETCHES.test(text) || FETCHES.test(rules)) element.remove();
      else element.textContent = rules;
    }
    for (const attribute of [...element.attributes]) if (acts(element, attribute)) element.removeAttribute(attribute.name);
  }
  return content;
}

/** Views that came with new HTML are drawn by the book's script. */
export const drawn = () => document.dispatchEvent(new Event("gpusim:mount"));

let places = 0;

/** Where styles of what a cell shows hold: in the output that holds this element. */
export const placeOf = (element) => `.live-inner[data-own="${element.closest(".live-inner").dataset.own}"]`;

function shown({ kind, text, html }) {
  if (!html) return h("pre", { className: kind === "failed" ? "live-error" : "live-text" }, text);
  const inner = h("div", { className: "live-inner" });
  inner.dataset.own = ++places; // no cell's HTML can say that of itself
  inner.append(harmless(html, placeOf(inner)));
  return h("div", { className: "output text_html live-made" }, inner);
}

/** Where a cell's output stands; null if it has none. */
export const outputOf = (cell) => cell.querySelector(":scope > .cell_output, :scope > details .cell_output");

/**
 * Put outputs into a cell; whether it shows them. What runs elsewhere only leaves what stands there; what came before
 * that comes below it.
 */
export function show(cell, outputs) {
  const elsewhere = outputs.find(({ kind }) => kind === "elsewhere");
  if (elsewhere) {
    const before = outputs.filter((each) => each !== elsewhere).map(shown);
    if (before.length) cell.append(h("div", { className: "live-beside" }, ...before));
    cell.append(h("p", { className: "live-note" }, elsewhere.text));
    return void drawn();
  }
  let output = outputOf(cell);
  if (!output && !outputs.length) return;
  if (!output) cell.append(output = h("div", { className: "cell_output docutils container" }));
  output.replaceChildren(...outputs.map(shown));
  drawn();
  return true;
}
