// What a cell gave, put where its output stood.
export const h = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};
const ACTIVE = 'script:not([type="application/json"]), iframe, frame, object, embed, link, meta, base, form, template, animate, set';

const LINKED = new Set(["http:", "https:", "mailto:"]), RUN = new Set(["javascript:", "vbscript:"]);
const FETCHED = /^(src|srcset|poster|background|data|ping|(xlink:)?href)$/i, OWN = /^\s*(#|data:image\/)/i, FETCHES = /@import|url\(\s*["']?(?!["'#]|data:image)/i;

/** What kind of address a browser takes a text for; it passes over tabs, and reads `%6A` and `&#106;` its own way. */
function schemeOf(text) {
  try {
    return new URL(text, location.href).protocol;
  } catch {
    return "";
  }
}

/** HTML that a cell made, which a link may have brought: nothing in it runs or fetches. What is overlooked here, the page's policy stops (policy.py). A view's report is JSON, which does not. */
export function harmless(html) {
  const { content } = h("template", { innerHTML: html });
  for (const element of content.querySelectorAll("*")) {
    if (element.matches(ACTIVE) || (element.matches("style") && FETCHES.test(element.textContent))) element.remove();
    for (const { name, value } of [...element.attributes]) {
      const link = element.matches("a") && name === "href", scheme = schemeOf(value);
      const fetches = FETCHED.test(name) ? !(link ? LINKED.has(scheme) : OWN.test(value)) : FETCHES.test(value) && !name.startsWith("data-");
      if (/^on/i.test(name) || RUN.has(scheme) || fetches) element.removeAttribute(name);
    }
  }
  return content;
}

/** Views that came with new HTML are drawn by the book's script. */
export const drawn = () => document.dispatchEvent(new Event("gpusim:mount"));

function shown({ kind, text, html }) {
  if (!html) return h("pre", { className: kind === "failed" ? "live-error" : "live-text" }, text);
  const box = h("div", { className: "output text_html" });
  box.append(harmless(html));
  return box;
}

/** Put outputs into a cell. What fails `beside` leaves what stands there; what runs elsewhere only does so, too. */
export function show(cell, outputs, beside) {
  cell.classList.remove("live-stale");
  for (const old of cell.querySelectorAll(":scope > .live-beside, :scope > .live-note")) old.remove();
  if (beside) return void cell.append(h("pre", { className: "live-error live-beside" }, outputs.at(-1).text));
  const elsewhere = outputs.find(({ kind }) => kind === "elsewhere");
  if (elsewhere) return void cell.append(h("p", { className: "live-note" }, elsewhere.text));
  let output = cell.querySelector(":scope > .cell_output, :scope > details .cell_output");
  if (!output && !outputs.length) return;
  if (!output) cell.append(output = h("div", { className: "cell_output docutils container" }));
  output.replaceChildren(...outputs.map(shown));
  drawn();
}
