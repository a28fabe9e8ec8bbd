// What is different between what a cell shows and what it showed? In words, with both numbers where they are numbers.
import { clipped, ofLines, plain } from "./numbers.js";
import { opposite, within } from "./stretches.js";

/** What is said of a question: its answer is the reader's to find. */
export const ANSWER = "the answer to its question";
const MOST = 30, MOST_COMPARED = 400; // differences that are said, and lines

const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function ofTables(before, after) {
  const said = [], headings = after[0] ?? [];
  if (before.length !== after.length) return { said: [`${before.length} → ${after.length} rows`], other: [] };
  if (before.some((row, at) => row.length !== after[at].length)) return { said: [], other: ["the columns of a table"] };
  before.forEach((row, at) => row.forEach((was, column) => {
    const is = after[at][column];
    const name = [column > 0 && after[at][0], at > 0 && headings[column]].filter(Boolean).join(", ");
    if (was !== is) said.push(`${name ? `${name}: ` : ""}${clipped(was, is)} → ${clipped(is, was)}`);
  }));
  return { said, other: [] };
}

function kindOf({ controls, reply, view, rows, picture }) {
  if (controls) return "controls";
  if (reply) return "a reply";
  if (view) return `the ${view.replaceAll("_", " ")}`;
  return rows ? "a table" : picture ? "a picture" : "text";
}

const counted = (lines) => (lines === 1 ? "one line" : `${lines} lines`);

/** What is to be said of lines that one side lacks. */
function lacking(gone, come) {
  if (gone && come) return [`${counted(gone)} gone, ${counted(come)} new`];
  return gone + come ? [`${counted(gone + come)} ${come ? "more" : gone > 1 ? "fewer" : "less"}`] : [];
}

function ofTexts(before, after) {
  if (isSame(before, after)) return { said: [], other: [] };
  if (isSame([...before].sort(), [...after].sort())) return { said: [], other: ["the order of its lines"] };
  const said = [], other = [], both = within(before, after);
  const [one, two] = both.map((lines) => lines.slice(0, MOST_COMPARED));
  const [rest, more] = both.map((lines) => lines.slice(MOST_COMPARED));
  let gone = Math.max(rest.length - more.length, 0), come = Math.max(more.length - rest.length, 0);
  for (const [old, now] of opposite(one, two, plain)) {
    if (old === null) come++;
    else if (now === null) gone++;
    else if (old !== now) {
      const found = ofLines(old, now);
      said.push(...found.said);
      other.push(...found.other);
    }
  }
  if (rest.length && more.length) other.push("what stands further down"); // too much to compare
  return { said, other: [...lacking(gone, come), ...other] };
}

function ofReplies(before, after) {
  const then = new Map(before.reply), isCount = (count) => count && count !== "–";
  const changed = after.reply.filter(([what, now]) => isCount(now) && isCount(then.get(what)) && now !== then.get(what));
  const said = changed.map(([what, now]) => `${what}: ${then.get(what)} → ${now}`);
  return { said, other: ["the reply"] }; // which says in words what it compares
}

function ofParts(before, after) {
  if (before.reply && after.reply) return ofReplies(before, after);
  if (before.rows && after.rows) return ofTables(before.rows, after.rows);
  if (before.picture && after.picture) return { said: [], other: ["the picture"] };
  if (after.view === "prediction" || before.view === "prediction") {
    const [old, now] = [before, after].map(({ report }) => answerOf(report));
    return { said: [], other: old === now && before.view === after.view ? [] : [ANSWER] };
  }
  if (kindOf(before) !== kindOf(after)) return { said: [], other: [`${kindOf(after)} in place of ${kindOf(before)}`] };
  const { said, other } = ofTexts(before.lines, after.lines);
  return { said, other: said.length || other.length ? other : [`what the ${after.view.replaceAll("_", " ")} draws`] };
}

function answerOf(report) {
  try {
    return JSON.parse(report).solution;
  } catch {
    return report;
  }
}

/** In words, the numbers first; none where all is the same, or all but what explains a question's answer. */
export function differences(before, after) {
  if (isSame(before, after)) return [];
  if (after.some(({ controls }) => controls)) return []; // which the reader moves
  if (!before.length) return ["a new result"];
  if (!after.length) return ["no result any more"];
  const said = [], other = [], count = Math.max(before.length, after.length);
  for (let at = 0; at < count; at++) {
    const [old, now] = [before[at], after[at]];
    if (!old || !now) other.push(old ? "a part less" : "a part more");
    else if (!isSame(old, now)) {
      const found = ofParts(old, now);
      said.push(...found.said);
      other.push(...found.other);
    }
  }
  const all = [...new Set([...said, ...(said.length ? [] : other)])];
  return all.length > MOST ? [...all.slice(0, MOST), `${all.length - MOST} more`] : all;
}
