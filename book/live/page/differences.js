// What is different? Of what a cell shows, the page's and the reader's, in words with both numbers: "sectors: 32 → 4".

/** What an output says, in parts: controls, a view as its still and its report, a table as its rows, a puzzle's reply as what it counted, a picture as its drawing, all else as lines. */
export function partsOf(output) {
  if (!output) return [];
  const parts = [];
  for (const each of output.children) {
    if (each.querySelector("[data-control]")) {
      parts.push({ controls: each.textContent });
      continue;
    }
    const reply = each.querySelector(".puzzle-reply");
    if (reply) {
      const [table] = [...reply.querySelectorAll("table")].filter((one) => !one.closest("[data-gpusim-view]"));
      parts.push({ reply: table ? rowsOf(table).slice(1).map(([what, , now]) => [what, now]) : [], lines: linesOf(reply.textContent) });
      continue;
    }
    const views = [...each.querySelectorAll("[data-gpusim-view]")], tables = [...each.querySelectorAll("table")].filter((table) => !table.closest("[data-gpusim-view]"));
    for (const view of views) {
      const report = view.querySelector(":scope > script")?.textContent ?? "", still = view.still ?? view.querySelector(":scope > pre")?.textContent ?? "";
      parts.push({ view: view.dataset.gpusimView, report, lines: linesOf(still) });
    }
    for (const table of tables) parts.push({ rows: rowsOf(table) });
    const rest = each.cloneNode(true);
    for (const other of rest.querySelectorAll("[data-gpusim-view], table, button, style, script, noscript")) other.remove(); // a button is the book's, to copy it
    for (const drawn of rest.querySelectorAll("svg")) {
      parts.push({ picture: drawn.outerHTML });
      drawn.remove();
    }
    const lines = linesOf(rest.textContent);
    if (lines.length) parts.push({ lines });
  }
  return parts;
}

const rowsOf = ({ rows }) => Array.from(rows, ({ cells }) => Array.from(cells, ({ textContent }) => textContent.trim()));
const linesOf = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

const SIGN = String.raw`(?:(?<=^|[\s(\[{,=:])[-−](?=\.?\d))?`, WORD = String.raw`[\p{L}_][\p{L}\p{N}_]*`; // "17-31" has no sign
const TOKEN = new RegExp(String.raw`${SIGN}(?:0x[0-9a-f]+|(?:(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|(?<![\p{L}\p{N}_])\.\d+)(?:e[+-]?\d+)?)|${WORD}|\S`, "giu");
const AMOUNT = new RegExp(String.raw`${SIGN}\.?\d[\d,.]*`, "g"), NUMBER = /^[-−]?(0x|\.?\d)/i, LETTER = /\p{L}/u, ROW = /^\d+ {2,}\S/; // of a still, such as a step of the warp player
/** What is said of a question: its answer is the reader's to find. */
export const ANSWER = "the answer to its question";
const MOST = 30, LONGEST = 36, MOST_COMPARED = 400, LONGEST_COMPARED = 4000;
const BINDS = new Set("of per in by on for at to from under over with without a an the".split(" ")), ENDS = new Set("is are was were be and or but that which who what when where how does do has have had".split(" ")); // what a noun's words go on with, and where they end

const tokens = (line) => [...line.matchAll(TOKEN)].map(({ 0: text, index }) => ({ text, index }));
const unplaced = (line) => line.replace(/\b(line |In\[)\d+/g, "$1#");
const plain = (line) => line.replace(AMOUNT, "#");

const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Pairs of places of two lists whose longest common part stands between them: [from, to] of each stretch that differs. */
function stretches(before, after) {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--) lengths[i][j] = before[i] === after[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const found = [];
  let i = 0, j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      i++, j++;
      continue;
    }
    const from = [i, j];
    while ((i < before.length || j < after.length) && !(i < before.length && j < after.length && before[i] === after[j]))
      if (j >= after.length || (i < before.length && lengths[i + 1][j] >= lengths[i][j + 1])) i++;
      else j++;
    found.push([from[0], i, from[1], j]);
  }
  return found;
}

/** The lines between those with which both begin, and those with which both end. */
function within(before, after) {
  let from = 0, last = 0;
  const shorter = Math.min(before.length, after.length);
  while (from < shorter && before[from] === after[from]) from++;
  while (last < shorter - from && before.at(-1 - last) === after.at(-1 - last)) last++;
  return [before, after].map((lines) => lines.slice(from, lines.length - last));
}

/** Lines that say the same of other numbers stand opposite each other; what is on one side only is null on the other. */
function opposite(before, after) {
  if (before.length === after.length && before.every((line, at) => plain(line) === plain(after[at]))) return before.map((line, at) => [line, after[at]]);
  const [one, other] = [before, after], pairs = [];
  let i = 0, j = 0;
  for (const [from, to, start, end] of [...stretches(one.map(plain), other.map(plain)), [one.length, one.length, other.length, other.length]]) {
    while (i < from) pairs.push([one[i++], other[j++]]);
    for (let k = 0; k < Math.max(to - from, end - start); k++) pairs.push([from + k < to ? one[from + k] : null, start + k < end ? other[start + k] : null]);
    [i, j] = [to, end];
  }
  return pairs;
}

/** A text from shortly before the place where it differs from another. */
function clipped(text, other) {
  let at = 0;
  while (at < text.length && text[at] === other[at]) at++;
  const from = text.length <= LONGEST || at < LONGEST / 2 ? 0 : at - LONGEST / 3, piece = text.slice(from, from + LONGEST), ends = from + LONGEST < text.length;
  const begun = from ? `…${piece.replace(/^\S* (?=.*\S)/, "")}` : piece, cut = /\S/.test(text[from + LONGEST] ?? " ");
  return ends ? `${cut ? begun.replace(/(?<=\S) +\S*$/, "") : begun.trimEnd()}…` : begun;
}

/** What stands behind a number and is counted: "sectors", "stores by one thread", "of 32 lanes"; of many words those before the first part. */
function unitOf(behind) {
  const [part] = /^ ?(?:of \d[\d,]* |% ?)?/.exec(behind), words = [], next = /(\p{L}[\p{L}-]*)(?![\p{L}\p{N}_([]) ?/uy;
  next.lastIndex = part.length;
  for (let found; (found = next.exec(behind)) && !ENDS.has(found[1]); ) {
    words.push(found[1]);
    if (!found[0].endsWith(" ")) break;
  }
  while (BINDS.has(words.at(-1))) words.pop();
  const bind = words.findIndex((word) => BINDS.has(word));
  return `${part}${(bind === 0 || words.length > 5) && bind >= 0 ? words.slice(0, bind).join(" ") : words.join(" ")}`.trim();
}

/** What a number counts: the words before it up to a colon, and those behind it. */
function named(line, { text, index }) {
  const before = line.slice(0, index), colon = before.lastIndexOf(": "), start = Math.max(...[", ", "; ", "("].map((mark) => before.lastIndexOf(mark) + mark.length * (before.lastIndexOf(mark) >= 0)), 0);
  const first = line.indexOf(": "), whole = first > 0 && first < index ? line.slice(0, first).split(". ").at(-1) : "";
  const label = colon > start && start > 0 && colon + 2 === index ? before.slice(start, colon) : whole.length < 45 && !/\d|\?$/.test(whole) ? whole : "";
  const unit = unitOf(line.slice(index + text.length));
  const bare = /([\p{L}_][\p{L}\p{N}_]*(?: [\p{L}_][\p{L}\p{N}_]*)?)[\s:=]*$/u.exec(before)?.[1] ?? "", last = bare.split(" ").at(-1);
  return { label: label || (unit || BINDS.has(last) || ENDS.has(last) ? "" : bare), unit };
}

const clauseOf = (line, index) => line.slice(line.lastIndexOf("; ", index) + 1, line.indexOf("; ", index) < 0 ? undefined : line.indexOf("; ", index));

/** The numbers in which two lines differ, in words; of other words, one text and the other. `said` are numbers, `other` all else. */
function ofLines(before, after) {
  const quoted = `${clipped(before, after)} → ${clipped(after, before)}`, asText = { said: [], other: [`“${clipped(before, after)}” → “${clipped(after, before)}”`] };
  if (Math.max(before.length, after.length) > LONGEST_COMPARED) return asText;
  if (ROW.test(before) && ROW.test(after)) return { said: [], other: ["what its rows say"] };
  if (!LETTER.test(before + after)) return { said: [quoted], other: [] };
  if (unplaced(before) === unplaced(after)) return { said: [], other: ["numbers of lines"] };
  const [one, other] = [tokens(before), tokens(after)], said = [], ours = [];
  if (Math.max(one.length, other.length) > MOST_COMPARED) return asText;
  const bare = (all) => all.map(({ text }) => (NUMBER.test(text) ? "#" : text));
  const all = isSame(bare(one), bare(other)) ? one.map((_, at) => [at, at + 1, at, at + 1]) : stretches(one.map(({ text }) => text), other.map(({ text }) => text));
  for (const [from, to, start, end] of all) {
    for (let k = 0; k < to - from && k < end - start; k++) {
      const [old, now] = [one[from + k], other[start + k]];
      if (old.text === now.text || !NUMBER.test(old.text) || !NUMBER.test(now.text) || to - from !== end - start) continue;
      if (/(\bline|\bIn\[)\s*$/.test(before.slice(Math.max(old.index - 12, 0), old.index))) continue; // where it stands
      const { label, unit } = named(after, now), own = clauseOf(after, now.index).includes("this device");
      (own ? ours : said).push(`${label ? `${label}: ` : ""}${old.text} → ${now.text}${unit ? ` ${unit}` : ""}`);
    }
  }
  said.unshift(...ours); // of several rules that of the device comes first
  const unnamed = said.filter((words) => !LETTER.test(words)).length;
  if (unnamed > 1 && unnamed === said.length) return { said: [quoted], other: [] };
  return said.length ? { said, other: [] } : asText;
}

function ofTables(before, after) {
  const said = [], headings = after[0] ?? [];
  if (before.length !== after.length) return { said: [`${before.length} → ${after.length} rows`], other: [] };
  if (before.some((row, at) => row.length !== after[at].length)) return { said: [], other: ["the columns of a table"] };
  before.forEach((row, at) => row.forEach((cell, column) => {
    const name = [column > 0 && after[at][0], at > 0 && headings[column]].filter(Boolean).join(", ");
    if (cell !== after[at][column]) said.push(`${name ? `${name}: ` : ""}${clipped(cell, after[at][column])} → ${clipped(after[at][column], cell)}`);
  }));
  return { said, other: [] };
}

const kindOf = ({ view, rows, picture }) => (view ? `the ${view.replaceAll("_", " ")}` : rows ? "a table" : picture ? "a picture" : "text");

const counted = (lines) => (lines === 1 ? "one line" : `${lines} lines`);

/** What is to be said of lines that one side lacks. */
function lacking(gone, come) {
  if (!gone || !come) return gone + come ? [`${counted(gone + come)} ${come ? "more" : gone > 1 ? "fewer" : "less"}`] : [];
  return [`${counted(gone)} gone, ${counted(come)} new`];
}

function ofTexts(before, after) {
  if (before.length === after.length && isSame([...before].sort(), [...after].sort())) return { said: [], other: isSame(before, after) ? [] : ["the order of its lines"] };
  const said = [], other = [], both = within(before, after), [one, two] = both.map((lines) => lines.slice(0, MOST_COMPARED)), [rest, more] = both.map((lines) => lines.slice(MOST_COMPARED));
  let gone = Math.max(rest.length - more.length, 0), come = Math.max(more.length - rest.length, 0);
  for (const [old, now] of opposite(one, two)) {
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
  const counted = new Map(before.reply), told = (count) => count && count !== "–";
  const said = after.reply.filter(([what, now]) => told(now) && told(counted.get(what)) && now !== counted.get(what)).map(([what, now]) => `${what}: ${counted.get(what)} → ${now}`);
  return { said, other: ["the reply"] }; // which says in words what it compares
}

function ofParts(before, after) {
  if (before.reply && after.reply) return ofReplies(before, after);
  if (before.rows && after.rows) return ofTables(before.rows, after.rows);
  if (before.picture && after.picture) return { said: [], other: ["the picture"] };
  if (after.view === "prediction" || before.view === "prediction") {
    const [old, now] = [before, after].map(({ report }) => answerOf(report));
    return { said: [], other: old === now && before.view === after.view ? [] : [ANSWER] }; // which it is, the reader finds
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

/** How differs what a cell shows from what it showed? In words, the numbers first; none where all is the same, or all but what explains a question's answer. */
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
