// What is said below a cell after its run: whether it came to its end, where not, and what it changed.
import { isChangedIn } from "./marks.js";
import { h } from "./outputs.js";
import { listed, toCell, whereabouts } from "./places.js";

/** Where did the run of `cell` end, if one `failed`? Text and links; `above`: the cells before it; `isChanged(cell)`: ran it with the reader's text? */
function ending(cell, failed, above, isChanged) {
  if (!failed) return ["."];
  if (above.includes(failed)) return ["Not run: ", toCell(failed), " above ends with this error."];
  if (failed !== cell && failed.editable === false) return [". A hidden cell below, which uses yours and is made for the page’s kernel, ends with this error."];
  if (failed !== cell) return [". What uses it below ends with this error."];
  if (isChanged(cell)) return [", up to an error in your cell."];
  const mine = above.find((each) => each.element && isChanged(each));
  return mine ? [", up to this error. The cell has the page's text, and works with it: ", toCell(mine), " above has your change."] : [", up to this error."];
}

/** Which changes make the results what they are, if not that of the cell alone? */
function whose(cell, above, isChanged) {
  const others = above.filter((each) => each.element && isChanged(each)).map((each) => toCell(each));
  if (!others.length) return [];
  return isChanged(cell) ? [" Your change of ", ...listed(others), " counts here, too."] : [" The cell has the page’s text: this comes from your change of ", ...listed(others), "."];
}

/** What has not run, by the cell that failed. */
function left(lacking) {
  const of = new Map();
  for (const [cell, failed] of lacking) if (cell !== failed && cell.element) of.set(failed, [...(of.get(failed) ?? []), toCell(cell)]);
  const leads = (cell) => (cell.element ? toCell(cell) : `${cell.title}, a cell that this page does not show,`);
  return [...of].flatMap(([failed, cells]) => [" ", ...listed(cells), ` ${cells.length > 1 ? "are" : "is"} as before: `, leads(failed), " ends with an error."]);
}

/** Words with what stands between backticks as code. */
const withCode = (words) => words.split(/`([^`]*)`/).map((part, at) => (at % 2 ? h("code", {}, part) : part));

/** Kernels of the cell that nothing of this run launched, and how to. */
const unlaunched = (idle) => idle.flatMap(({ name, launch, runs: [first] }) => [
  ...withCode(` Nothing has launched \`${name}\`: `), ...(first?.element ? [toCell(first), " further down does. Run that, or "] : []), ...withCode(`${launch}.`),
]);

/** `showed`: what the cell and those below it show now (cells.js); `lacking`: what has not run (runs.js); `above`: the cells that it follows; `idle`: its kernels that were not launched; `texts`: {number: text} that ran; `time`: how long the run took, in words. */
export function told(cell, { failed, showed, lacking, above, idle = [], texts }, time) {
  const isChanged = isChangedIn(texts);
  const changed = showed.filter(({ differs }) => differs.length), stays = showed.filter((each) => each.stays).map((each) => toCell(each.cell));
  const mine = isChanged(cell) || above.some(isChanged), parts = [...(above.includes(failed) ? [] : [time]), ...ending(cell, failed, above, isChanged)];
  if (changed.length) parts.push(...whereabouts(cell, changed), ...whose(cell, above, isChanged));
  else if (!failed && !idle.length && showed.length > stays.length) parts.push(` ${mine && stays.length ? "All else" : "All"} that this section shows is as on the page${mine ? ", with your change, too" : ""}.`);
  if (!failed) parts.push(...unlaunched(idle));
  if (!failed && !changed.length && !idle.length && isChanged(cell) && !cell.shows) parts.push(" To see more of it, launch it in this cell and print what it wrote.");
  if (changed.length && !showed.some(({ moved }) => moved)) parts.push(" It is as it was before this run.");
  if (mine && stays.length) parts.push(" ", ...listed(stays), ` still ${stays.length > 1 ? "show" : "shows"} the page’s result, and says why.`);
  parts.push(...left(lacking));
  if (changed.length) parts.push(" Numbers in the page's text are of the page's kernel.");
  return parts;
}

/** Words and links: in the words of an error or a finding, `In[3]` and `In[3]:7` lead to that cell; of one that cannot be seen it is said. */
export function linked(words, cells) {
  return words.split(/(In\[\d+\](?::\d+)?)/).map((part) => {
    const cell = cells[/^In\[(\d+)\]/.exec(part)?.[1]];
    if (!cell) return part;
    return cell.element ? toCell(cell, part) : `${part} (a cell that this page does not show)`;
  });
}
