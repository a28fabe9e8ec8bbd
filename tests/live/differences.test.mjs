// What is said of two states of an output? `differences.js`, with the parts of both.
import assert from "node:assert/strict";
import { test } from "node:test";
import { differences } from "../../book/live/page/differences.js";

const text = (...lines) => [{ lines }], table = (...rows) => [{ rows }];
const reply = (said, ...reply) => [{ reply, lines: [said] }];
const view = (name, report, ...lines) => [{ view: name, report: JSON.stringify(report), lines }];

const many = (count) => Array.from({ length: count }, (_, at) => `${"abcdefghij"[at % 10]}${"klm"[at % 3]} stays`);

const letters = (number, count = 40) => Array.from({ length: count }, (_, at) => `${number} ${"abcdefghij"[at % 10]}${"klmq"[Math.floor(at / 10)]}`);

const SAID = [
  ["all is the same", text("4 sectors"), text("4 sectors"), []],
  ["a number and what it counts", text("side by side: 2 requests"), text("side by side: 3 requests"), ["side by side: 2 → 3 requests"]],
  ["a counter by its name", text("global_load_sectors  128"), text("global_load_sectors  256"), ["global_load_sectors: 128 → 256"]],
  ["a part of a hundred", text("load: 128 bytes (100.0 % wanted)"), text("load: 1,024 bytes (12.5 % wanted)"), ["load: 128 → 1,024 bytes", "load: 100.0 → 12.5 % wanted"]],
  ["one of many in a line", text("4 bytes: pitch 31: 1, pitch 32: 32"), text("4 bytes: pitch 31: 1, pitch 32: 16"), ["pitch 32: 32 → 16"]],
  ["numbers alone", text("(1, 8)"), text("(1, 16)"), ["(1, 8) → (1, 16)"]],
  ["an array", text("[0 0 2 4]"), text("[0 1 3 5]"), ["[0 0 2 4] → [0 1 3 5]"]],
  ["an array with a name", text("out: [0 0 2 4]"), text("out: [0 1 3 5]"), ["out: 0 → 1", "out: 2 → 3", "out: 4 → 5"]],
  ["a number in a name", text("warp 3: 5 lanes", "warp 4: 8 lanes"), text("warp 3: 6 lanes", "warp 4: 8 lanes"), ["warp 3: 5 → 6 lanes"]],
  ["a reply in place of a text of the same words", text("6 warps"), [{ reply: [["warps", "6"]], lines: ["6 warps"] }], ["a reply in place of text"]],
  ["other words", text("no bank conflict"), text("a race at bank 0"), ["“no bank conflict” → “a race at bank 0”"]],
  ["a long line from where it differs", text(`${"x".repeat(60)} yes`), text(`${"x".repeat(60)} no`), ["“…yes” → “…no”"]],
  ["a part of all", text("H200: 5.5 of 32 lanes active in each"), text("H200: 4.7 of 32 lanes active in each"), ["H200: 5.5 → 4.7 of 32 lanes active in each"]],
  ["a noun with what belongs to it", text("8 stores by one thread, 34 registers per thread, 4 bytes of shared memory"), text("9 stores by one thread, 10 registers per thread, 8 bytes of shared memory"), ["8 → 9 stores by one thread", "34 → 10 registers per thread", "4 → 8 bytes of shared memory"]],
  ["a noun up to what is said of it", text("25 grids on 3 devices", "5 blocks are idle", "Element 4 is 7"), text("60 grids on 3 devices", "6 blocks are idle", "Element 5 is 7"), ["25 → 60 grids", "5 → 6 blocks", "Element: 4 → 5"]],
  ["a noun of many words up to the first part", text("15 reads of what is not certain to be there yet"), text("16 reads of what is not certain to be there yet"), ["15 → 16 reads"]],
  ["numbers that changed places", text("found 1 and 2 and 3 in all"), text("found 2 and 3 and 4 in all"), ["found: 1 → 2", "2 → 3", "3 → 4"]],
  ["no sentence before what is counted, and no question", text("Not yet. There are: 8 stores", "How many?: 8 loads"), text("Not yet. There are: 9 stores", "How many?: 9 loads"), ["There are: 8 → 9 stores", "8 → 9 loads"]],
  ["words, none of them cut", text("the launch ends with a deadlock of all lanes here"), text("the launch ends with an invalid mask of one lane here"), ["“…ends with a deadlock of all lanes…” → “…ends with an invalid mask of one…”"]],
  ["a puzzle's counters, and no words of its reply", reply("Not yet.", ["sectors", "1,024"], ["waits", "8"]), reply("Solved.", ["sectors", "128"], ["waits", "8"]), ["sectors: 1,024 → 128"]],
  ["a puzzle's reply", reply("Not yet. 4", ["sectors", "–"]), reply("Not yet. 5", ["sectors", "128"]), ["the reply"]],
  ["a reply with the same counters", reply("a", ["sectors", "4"]), reply("a", ["sectors", "4"]), []],
  ["steps of a player", text("9     6  siii  while left > 0:"), text("9     6  ssii  while left > 0:"), ["what its rows say"]],
  ["a line more", text("a"), text("a", "b"), ["one line more"]],
  ["lines less", text("a", "b", "c"), text("a"), ["2 lines fewer"]],
  ["a cell of a table", table(["kernel", "sectors"], ["rows", "4"]), table(["kernel", "sectors"], ["rows", "32"]), ["rows, sectors: 4 → 32"]],
  ["a table with another row", table(["n"], ["1"]), table(["n"], ["1"], ["2"]), ["2 → 3 rows"]],
  ["the numbers of a view before its code", view("sector_view", 1, "line 4, load x[i]: 4 sectors"), view("sector_view", 2, "line 4, load x[2 * i]: 8 sectors"), ["load x[2 * i]: 4 → 8 sectors"]],
  ["of several rules the device's own", text("x: 2 segments under 1.2; 4 sectors under 2.0, this device"), text("x: 3 segments under 1.2; 5 sectors under 2.0, this device"), ["x: 4 → 5 sectors", "x: 2 → 3 segments"]],
  ["of many numbers as many as a reader unfolds", text(...letters(1)), text(...letters(2)), [...letters("1 → 2", 30), "10 more"]],
  ["a view whose words stay", view("warp_player", { frames: 1 }, "countdown"), view("warp_player", { frames: 2 }, "countdown"), ["what the warp player draws"]],
  ["the answer to a question stays the reader's to find", view("prediction", { solution: "4" }, "How many? ____"), view("prediction", { solution: "8" }, "How many? ____"), ["the answer to its question"]],
  ["a question with the same answer", view("prediction", { solution: "4", why: "a" }, "How many?"), view("prediction", { solution: "4" }, "How many?"), []],
  ["a picture", [{ picture: "<svg>1</svg>" }], [{ picture: "<svg>2</svg>" }], ["the picture"]],
  ["controls, which the reader moves", text("stride 4"), [{ controls: "stride 8" }], []],
  ["controls no more", [{ controls: "stride 8" }], text("stride 4"), ["text in place of controls"]],
  ["what was not there", [], text("7"), ["a new result"]],
  ["what is gone", text("7"), [], ["no result any more"]],
  ["a part more", text("7"), [...text("7"), ...text("8")], ["a part more"]],
  ["a line of code that moved", view("bank_view", 1, "line 6, load: 1 wavefront"), view("bank_view", 2, "line 7, load: 1 wavefront"), ["numbers of lines"]],
  ["steps that came between", text("run: 2 instructions", "step 1", "end"), text("run: 3 instructions", "step 1", "if so", "end"), ["run: 2 → 3 instructions"]],
  ["a sign", text("sum: -5", "error -5 bytes"), text("sum: -7", "error 5 bytes"), ["sum: -5 → -7", "-5 → 5 bytes"]],
  ["no sign", text("lanes 17-31 wait"), text("lanes 17-30 wait"), ["31 → 30 wait"]],
  ["a part of one", text("x = .5"), text("x = .7"), ["x: .5 → .7"]],
  ["a shape", text("shape (4,)"), text("shape (8,)"), ["4 → 8"]],
  ["one of several", text("found: 4, 5"), text("found: 7, 5"), ["found: 4 → 7"]],
  ["a line that goes and one that comes", text("foo", "keep"), text("keep", "bar"), ["one line gone, one line new"]],
  ["lines that change places", text("a 1", "b 2"), text("b 2", "a 1"), ["the order of its lines"]],
  ["a table in place of text", text("a"), table(["a"]), ["a table in place of text"]],
  ["another view with the same words", view("bank_view", 1, "a"), view("sector_view", 1, "a"), ["the sector view in place of the bank view"]],
  ["a view no more", view("bank_view", 1, "a"), text("a"), ["text in place of the bank view"]],
  ["a question no more", view("prediction", {}, "How many?"), text("How many?"), ["the answer to its question"]],
  ["a picture no more", [{ picture: "<svg>" }], table(["a"]), ["a table in place of a picture"]],
  ["a table with another column", table(["n"], ["1"]), table(["n", "m"], ["1", "2"]), ["the columns of a table"]],
  ["one line far down", text(...many(500), "here 1"), text(...many(500), "here 2"), ["here: 1 → 2"]],
  ["many lines more", text("a"), text("a", ...many(1000)), ["1000 lines more"]],
  ["many lines fewer", text(...many(900)), text(...many(3)), ["897 lines fewer"]],
];

for (const [what, before, after, words] of SAID) test(what, () => assert.deepEqual(differences(before, after), words));

test("a book of lines is compared in a moment", () => {
  const lines = (each) => Array.from({ length: 5000 }, (_, at) => each(at)), began = performance.now();
  assert.ok(differences(text(...lines((at) => `a${at % 7} b ${at}`)), text(...lines((at) => `b ${at} c${at % 5}`))).length);
  assert.ok(performance.now() - began < 3000);
});

test("of what is not the same something is said, however much it is", () => {
  let seed = 7;
  const next = (most) => (seed = (seed * 48271) % 2147483647) % most, lines = () => Array.from({ length: next(4) + 1 }, () => ["a 1", "a 2", "b", "1", "-1", "c.", ""][next(7)]);
  for (let turn = 0; turn < 3000; turn++) {
    const [before, after] = [text(...lines()), text(...lines())];
    assert.equal(differences(before, after).length > 0, JSON.stringify(before) !== JSON.stringify(after), JSON.stringify([before, after]));
  }
  const long = (first, last) => text(first, ...many(900), last);
  assert.deepEqual(differences(long("a", "y"), long("b", "z")), ["“a” → “b”", "what stands further down"]);
});

test("a line that is too long to be compared is quoted where it differs, in no time", () => {
  const numbers = (count, of = "1 ") => text(`a ${of.repeat(count)}`), began = performance.now();
  for (const [one, other] of [[numbers(40), numbers(100_000)], [numbers(2000), numbers(25_000)], [numbers(2000), numbers(2000, "2 ")], [numbers(1e5, "1,"), numbers(1e5, "2,")]])
    assert.match(differences(one, other)[0], /^“.{0,40}” → “.{0,40}”$/);
  const lines = (by) => [{ lines: Array.from({ length: 400 }, (_, at) => `row ${at} ${`${by} `.repeat(2400)}`) }];
  assert.equal(differences(lines(1), lines(2)).length, 31);
  assert.ok(performance.now() - began < 4000, `${performance.now() - began} ms`);
});
