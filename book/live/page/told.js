// What is said below a cell after its run: whether it came to its end, where not, and what it changed. A cell's
// name in it becomes a link (`linked`).
import { isChangedIn } from "./marks.js";
import { h } from "./outputs.js";
import { listed, toCell, whereabouts } from "./places.js";

const PLAYS = " Move its controls, or change its kernel below: it runs again each time.";
const SHOWS_NOTHING = " To see more of it, launch it in this cell and print what it wrote.";
const STAYS = "the page’s result, and says why.";

const names = (cells) => listed(cells.map(({ title }) => title)).join("");
const some = (many, one, several) => (many.length > 1 ? several : one);

/** Whose text ends with an error, and where in it? "Your kernel, line 4,"; `at`: cell, line, and if in a `kernel`. */
export function origin(cell, at, isChanged) {
  const of = at?.cell ?? cell, whose = isChanged(of) ? "Your" : "The page’s";
  if (!at) return `${whose} cell`;
  return `${whose} ${at.kernel ? "kernel" : "cell"}, line ${at.line}${of === cell ? "" : ` of ${of.title}`},`;
}

/** How did the run of `cell` end? `above`: the cells before it; `isChanged(cell)`: ran it with the reader's text? */
function ending(cell, { failed, at, above, isChanged }) {
  if (!failed) return "";
  const line = at?.cell === failed ? `, in line ${at.line}` : "";
  if (above.includes(failed)) return `Not run: ${failed.title} above ends with this error${line}.`;
  const lead = origin(cell, at, isChanged);
  if (failed !== cell && at?.cell === cell) return `${lead} ends with this error where ${failed.title} uses it.`;
  if (failed !== cell && failed.editable === false)
    return "A hidden cell below, which uses yours and is made for the page’s kernel, ends with this error.";
  if (failed !== cell) return `What uses it below, ${failed.title}, ends with this error${line}.`;
  const mine = at && isChanged(at.cell) ? null : above.find((each) => each.element && isChanged(each));
  if (isChanged(cell) || !mine) return `${lead} ends with this error.`;
  return `${lead} ends with this error. It works with the page’s text: ${mine.title} above has your change.`;
}

/** Which changes make the results what they are, if not that of the cell alone? */
function whose(cell, { above, isChanged }) {
  const others = above.filter((each) => each.element && isChanged(each));
  if (!others.length) return "";
  if (isChanged(cell)) return ` Your change of ${names(others)} counts here, too.`;
  return ` The cell has the page’s text: this comes from your change of ${names(others)}.`;
}

/** What has not run, and why. */
function left(cell, lacking) {
  const of = new Map();
  for (const [each, { by, why }] of lacking)
    if (each !== by && each !== cell && each.element) of.set(why, [...(of.get(why) ?? []), each]);
  return [...of].map(([why, cells]) => ` ${names(cells)} ${some(cells, "has", "have")} not run: ${why}.`).join("");
}

/** Words with what stands between backticks as code. */
const withCode = (words) => words.split(/`([^`]*)`/).map((part, at) => (at % 2 ? h("code", {}, part) : part));

/** Kernels of the cell that nothing of this run launched, and how to. */
function unlaunched({ name, launch, runs: [first] }) {
  const further = first?.element ? `${first.title} further down does. Run that, or ` : "";
  return withCode(` Nothing has launched \`${name}\`: ${further}${launch}.`);
}

/** Where the results are the page's, or as the last run left them. */
function unchanged({ showed, stays, idle, mine }) {
  if (idle.length || showed.length <= stays.length || showed.some(({ plays }) => plays)) return "";
  const all = mine && stays.length ? "All else" : "All", too = mine ? ", with your change, too" : "";
  return ` ${all} that this section shows is as on the page${too}.`;
}

/**
 * Below `cell`: text and elements. `showed`: what it and those below it show now (cells.js); `lacking`: what has not
 * run (runs.js); `failed`, `at`: the cell that failed, and where its error came up; `above`: the cells that it follows;
 * `idle`: its kernels that were not launched; `verdict`: of a puzzle; `texts`: {number: text} that ran; `time`: how
 * long the run took, in words.
 */
export function told(cell, { failed, at, showed, lacking, above, idle = [], verdict, texts }, time) {
  const isChanged = isChangedIn(texts), run = { failed, at, above, isChanged };
  const changed = verdict ? [] : showed.filter(({ differs }) => differs.length);
  const stays = showed.filter((each) => each.stays).map((each) => each.cell);
  const mine = isChanged(cell) || above.some(isChanged), isIdle = !failed && !changed.length && !verdict;
  const parts = [ending(cell, run)];
  if (verdict) parts.push(`${verdict.words}: see `, toCell(verdict.cell, "the reply"), ".");
  if (!above.includes(failed)) parts.push(`${failed || verdict ? " " : ""}${time}.`);
  if (changed.length) parts.push(...whereabouts(cell, changed), whose(cell, run));
  const lacks = left(cell, lacking);
  if (isIdle && !lacks) parts.push(unchanged({ showed, stays, idle, mine }));
  if (!failed && showed.some((each) => each.plays && each.cell === cell)) parts.push(PLAYS);
  if (!failed) parts.push(...idle.flatMap(unlaunched));
  if (isIdle && !idle.length && isChanged(cell) && !cell.shows) parts.push(SHOWS_NOTHING);
  if (changed.length && !showed.some(({ moved }) => moved)) parts.push(" It is as it was before this run.");
  if (mine && stays.length) parts.push(` ${names(stays)} still ${some(stays, "shows", "show")} ${STAYS}`);
  parts.push(lacks);
  if (changed.length) parts.push(" Numbers in the page's text are of the page's kernel.");
  return parts.filter(Boolean);
}

/** Words and links: `In[3]` and `In[3]:7` lead to that cell; of one that cannot be seen it is said. */
export function linked(words, cells) {
  return words.split(/(In\[\d+\](?::\d+)?)/).map((part) => {
    const cell = cells[/^In\[(\d+)\]/.exec(part)?.[1]];
    if (!cell) return part;
    return cell.element ? toCell(cell, part) : `${part} (a cell that this page does not show)`;
  });
}
