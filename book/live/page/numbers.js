// In which numbers do two lines differ? In words, with both and what they count: "sectors: 32 → 4".
import { stretches } from "./stretches.js";

const LONGEST = 36; // letters of a quoted text
const MOST_COMPARED = 400, LONGEST_COMPARED = 4000; // tokens, and letters, of a line

const SIGN = String.raw`(?:(?<=^|[\s(\[{,=:])[-−](?=\.?\d))?`; // "17-31" has no sign
const HEX = "0x[0-9a-f]+", GROUPED = String.raw`\d{1,3}(?:,\d{3})+(?!\d)|\d+`;
const FRACTION = String.raw`(?<![\p{L}\p{N}_])\.\d+`, POWER = String.raw`(?:e[+-]?\d+)?`;
const AMOUNT = String.raw`${SIGN}(?:${HEX}|(?:(?:${GROUPED})(?:\.\d+)?|${FRACTION})${POWER})`;
const TOKEN = new RegExp(String.raw`${AMOUNT}|[\p{L}_][\p{L}\p{N}_]*|\S`, "giu");
const PLAIN = new RegExp(String.raw`${SIGN}\.?\d[\d,.]*`, "g");
const NUMBER = /^[-−]?(0x|\.?\d)/i, LETTER = /\p{L}/u;
const ROW = /^\d+ {2,}\S/; // of a still, such as a step of the warp player
const PLACE = /(\bline|\bIn\[)\s*$/; // before a number that says where something stands
const BEFORE = /([\p{L}_][\p{L}\p{N}_]*(?: [\p{L}_][\p{L}\p{N}_]*)?)[\s:=]*$/u; // the words before a number
const setOf = (words) => new Set(words.split(" "));
/** What a noun's words go on with, and where they end. */
const BINDS = setOf("of per in by on for at to from under over with without a an the");
const ENDS = setOf("is are was were be and or but that which who what when where how does do has have had");

const tokens = (line) => [...line.matchAll(TOKEN)].map(({ 0: text, index }) => ({ text, index }));
const unplaced = (line) => line.replace(/\b(line |In\[)\d+/g, "$1#");
/** A line that says the same of whichever numbers. */
export const plain = (line) => line.replace(PLAIN, "#");

/** A text from shortly before the place where it differs from another. */
export function clipped(text, other) {
  let at = 0;
  while (at < text.length && text[at] === other[at]) at++;
  const from = text.length <= LONGEST || at < LONGEST / 2 ? 0 : at - LONGEST / 3, to = from + LONGEST;
  const piece = text.slice(from, to), begun = from ? `…${piece.replace(/^\S* (?=.*\S)/, "")}` : piece;
  if (to >= text.length) return begun;
  const isCut = /\S/.test(text[to] ?? " ");
  return `${isCut ? begun.replace(/(?<=\S) +\S*$/, "") : begun.trimEnd()}…`;
}

/** What stands behind a number and is counted: "stores by one thread"; of many words those before the first part. */
function unitOf(behind) {
  const [part] = /^ ?(?:of \d[\d,]* |% ?)?/.exec(behind), words = [];
  const next = /(\p{L}[\p{L}-]*)(?![\p{L}\p{N}_([]) ?/uy;
  next.lastIndex = part.length;
  for (let found; (found = next.exec(behind)) && !ENDS.has(found[1]); ) {
    words.push(found[1]);
    if (!found[0].endsWith(" ")) break;
  }
  while (BINDS.has(words.at(-1))) words.pop();
  const bind = words.findIndex((word) => BINDS.has(word)), isEarly = bind === 0 || (bind > 0 && words.length > 5);
  return `${part}${words.slice(0, isEarly ? bind : undefined).join(" ")}`.trim();
}

/**
 * The words up to a colon that name a number; none if no colon does. A number among them is the same in the line
 * before.
 */
function labelOf(line, index, old) {
  const before = line.slice(0, index), colon = before.lastIndexOf(": "), first = line.indexOf(": ");
  const ends = [", ", "; ", "("].map((mark) => (before.includes(mark) ? before.lastIndexOf(mark) + mark.length : 0));
  const start = Math.max(...ends);
  if (colon > start && start > 0 && colon + 2 === index) return before.slice(start, colon);
  const whole = first > 0 && first < index ? line.slice(0, first).split(". ").at(-1) : "";
  return whole.length < 45 && !whole.endsWith("?") && (!/\d/.test(whole) || old.startsWith(line.slice(0, first + 2))) ? whole : "";
}

/** What a number counts: the words before it, and those behind it. */
function named(line, { text, index }, old) {
  const unit = unitOf(line.slice(index + text.length)), label = labelOf(line, index, old);
  const bare = BEFORE.exec(line.slice(0, index))?.[1] ?? "", last = bare.split(" ").at(-1);
  return { label: label || (unit || BINDS.has(last) || ENDS.has(last) ? "" : bare), unit };
}

/** Is it said of the device that runs, of several? */
function isOwn(line, index) {
  const end = line.indexOf("; ", index);
  return line.slice(line.lastIndexOf("; ", index) + 1, end < 0 ? undefined : end).includes("this device");
}

/** Pairs of numbers that stand opposite each other, and differ. */
function numbersOf(before, one, other) {
  const bare = (all) => all.map(({ text }) => (NUMBER.test(text) ? "#" : text));
  const texts = (all) => all.map(({ text }) => text);
  const isAlike = JSON.stringify(bare(one)) === JSON.stringify(bare(other));
  const all = isAlike ? [[0, one.length, 0, other.length]] : stretches(texts(one), texts(other));
  const even = all.filter(([from, to, start, end]) => to - from === end - start);
  const pairs = even.flatMap(([from, to, start]) => one.slice(from, to).map((old, k) => [old, other[start + k]]));
  const isPlace = ({ index }) => PLACE.test(before.slice(Math.max(index - 12, 0), index));
  return pairs.filter(([old, now]) => old.text !== now.text && NUMBER.test(old.text) && NUMBER.test(now.text) && !isPlace(old));
}

/** How two lines differ, in words; of other words, one text and the other. `said` are numbers, `other` all else. */
export function ofLines(before, after) {
  const [old, now] = [clipped(before, after), clipped(after, before)], quoted = `${old} → ${now}`;
  const asText = { said: [], other: [`“${old}” → “${now}”`] };
  if (Math.max(before.length, after.length) > LONGEST_COMPARED) return asText;
  if (ROW.test(before) && ROW.test(after)) return { said: [], other: ["what its rows say"] };
  if (!LETTER.test(before + after)) return { said: [quoted], other: [] };
  if (unplaced(before) === unplaced(after)) return { said: [], other: ["numbers of lines"] };
  const [one, other] = [tokens(before), tokens(after)], ours = [], theirs = [];
  if (Math.max(one.length, other.length) > MOST_COMPARED) return asText;
  for (const [was, is] of numbersOf(before, one, other)) {
    const { label, unit } = named(after, is, before);
    const words = `${label ? `${label}: ` : ""}${was.text} → ${is.text}${unit ? ` ${unit}` : ""}`;
    (isOwn(after, is.index) ? ours : theirs).push(words);
  }
  const said = [...ours, ...theirs], unnamed = said.filter((words) => !LETTER.test(words)).length;
  if (unnamed > 1 && unnamed === said.length) return { said: [quoted], other: [] };
  return said.length ? { said, other: [] } : asText;
}
