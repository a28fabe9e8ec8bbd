// What does an output say? Its parts, of which each has one kind of words.

const VIEW = "[data-gpusim-view]";
const DRAWN_OR_TOLD = `${VIEW}, table, button, style, script, noscript`; // a button is the book's, to copy an output

const rowsOf = ({ rows }) => Array.from(rows, ({ cells }) => Array.from(cells, (cell) => cell.textContent.trim()));
const linesOf = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);
const tablesIn = (element) => [...element.querySelectorAll("table")].filter((table) => !table.closest(VIEW));

/** A puzzle's reply: what it counted, and what it says. */
function replyOf(reply) {
  const [table] = tablesIn(reply), rows = table ? rowsOf(table).slice(1) : [];
  return { reply: rows.map(([what, , now]) => [what, now]), lines: linesOf(reply.textContent) };
}

/** A view: its report, and its still. */
function viewOf(view) {
  const report = view.querySelector(":scope > script")?.textContent ?? "";
  const still = view.still ?? view.querySelector(":scope > pre")?.textContent ?? "";
  return { view: view.dataset.gpusimView, report, lines: linesOf(still) };
}

/** All else: each picture as its drawing, and the lines of its text. */
function restOf(element) {
  const rest = element.cloneNode(true), parts = [];
  for (const other of rest.querySelectorAll(DRAWN_OR_TOLD)) other.remove();
  for (const drawn of rest.querySelectorAll("svg")) {
    parts.push({ picture: drawn.outerHTML });
    drawn.remove();
  }
  const lines = linesOf(rest.textContent);
  return lines.length ? [...parts, { lines }] : parts;
}

function partsIn(element) {
  if (element.querySelector("[data-control]")) return [{ controls: element.textContent }];
  const reply = element.querySelector(".puzzle-reply");
  if (reply) return [replyOf(reply)];
  const views = [...element.querySelectorAll(VIEW)].map(viewOf);
  return [...views, ...tablesIn(element).map((table) => ({ rows: rowsOf(table) })), ...restOf(element)];
}

/** Of an output, or of none. */
export const partsOf = (output) => [...(output?.children ?? [])].flatMap(partsIn);
