// Where is it on the page? Links that lead to a cell or to a question, and where the results of a run stand.
import { ANSWER } from "./differences.js";
import { h } from "./outputs.js";

const HIDDEN = ".revealed:not([data-open])";
const MOST = 3; // differences of a result that are said at once

/** Bring it into sight, and the keyboard to it. */
export function goTo(element) {
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.closest("details:not([open])")?.setAttribute("open", "");
  element.scrollIntoView({ block: "center" });
  element.focus({ preventScroll: true });
}

/** A link that leaves the address alone: it may carry a change. */
function linkTo(element, id, words) {
  element.id ||= id;
  return h("a", { href: `#${element.id}`, onclick: (event) => (event.preventDefault(), goTo(element)) }, words);
}

/**
 * The question behind which an element is hidden: of several the first without an answer; null where it can be seen.
 */
export function questionOf(element) {
  let veil = element.closest(HIDDEN);
  for (let outer = veil; outer; outer = outer.parentElement.closest(HIDDEN)) veil = outer;
  const questions = [...document.querySelectorAll("[data-prediction]")];
  const ofId = (id) => questions.find(({ dataset }) => dataset.prediction.split(":")[0] === id); // or the reader's own of it
  const asked = veil?.dataset.revealedBy.split(" ").map(ofId) ?? [];
  return asked.find((each) => each?.querySelector(".check:not([hidden])")) ?? null;
}

/** `A, B and C`. */
export const listed = (parts) => parts.flatMap((part, at) => [at === 0 ? "" : at === parts.length - 1 ? " and " : ", ", part]);

/** A link to a cell; in `words` if not under its name. */
export const toCell = (cell, words = cell.title) => linkTo(cell.element, `live-in-${cell.number}`, words);

function toResult(cell) {
  const view = cell.element.querySelector("[data-gpusim-view]")?.dataset.gpusimView.replaceAll("_", " ");
  return toCell(cell, view && view !== "prediction" ? `${cell.title}, ${view}` : cell.title);
}

/** What differs, in words: the first of it, and all else where the reader unfolds it. */
function few(differs) {
  const more = differs.slice(MOST);
  if (!more.length) return [differs.join(", ")];
  const words = h("summary", {}, `${more.length} more`), all = h("span", {}, more.join(", "));
  return [`${differs.slice(0, MOST).join(", ")}, `, h("details", { className: "live-more" }, words, all)];
}

/** What of the page's questions has become another one. */
function otherAnswers(answers) {
  const [head, tail] = answers.length > 1 ? [" The questions of ", " have other answers"] : [" The question of ", " has another answer"];
  return answers.length ? [head, ...listed(answers), `${tail} with your kernel.`] : [];
}

/** New results that a question hides; where they stand would answer it. */
function hidden(asked, titles) {
  const words = asked.querySelector(".heading").textContent.trim();
  const [result, stand] = titles.length > 1 ? ["results", "stand"] : ["result", "stands"];
  const where = h("span", {}, ` The new ${result} of ${listed(titles).join("")} ${stand} behind the question `);
  return [where, linkTo(asked, `prediction-${asked.dataset.prediction}`, `“${words}”`), ": answer it, or press “show me”."];
}

/**
 * Where does what a run changed stand, and how does it differ from the page's? Text and links; `changed`: cells in
 * order with words (cells.js), `question(element)` as `questionOf`, `link(cell)` as `toResult`.
 */
export function whereabouts(cell, changed, question = questionOf, link = toResult) {
  const behind = new Map(), seen = [], answers = [];
  for (const { cell: each, differs } of changed) {
    const asked = question(each.element);
    if (asked) behind.set(asked, [...(behind.get(asked) ?? []), each.title]);
    else if (differs.includes(ANSWER)) answers.push(link(each));
    else seen.push([each === cell ? "here" : link(each), ": ", ...few(differs)]);
  }
  const parts = seen.length ? [" The page → yours, ", ...seen.flatMap((each, at) => (at ? ["; ", ...each] : each)), "."] : [];
  return [...parts, ...otherAnswers(answers), ...[...behind].flatMap(([asked, titles]) => hidden(asked, titles))];
}
