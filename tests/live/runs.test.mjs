// What does a run do and say? `runs.js`, with cells, a bar and a Python made of a few lines.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Stopped } from "../../book/live/page/python.js";
import { Runs } from "../../book/live/page/runs.js";
import { Planner } from "./plan.mjs";

beforeEach(() => (globalThis.document = { querySelectorAll: () => [], createElement: (name) => ({ name, append(...words) { this.words = words.map((each) => each.words ?? each).join(""); } }) }));
afterEach(() => delete globalThis.document);

const section = { contains: () => true };
const failed = (text, at = null) => [{ kind: "failed", text, at }], shown = (text) => [{ kind: "shown", text }];

/** A page with cells of these texts, the page's own until they are `changed`; `answers(number, text)` are Python's outputs. */
function page(texts, answers = () => {}, { hidden = [], puzzles = {}, needs = (number, before) => before, kernels } = {}) {
  const said = [], ran = [], checked = [], buttons = [], told = {}, shows = {}, marks = {};
  const cells = Object.fromEntries(texts.map((text, at) => {
    const number = at + 1, note = (how) => (outputs) => ((shows[number] = how + [outputs ?? []].flat().map((each) => each.text).join()), true);
    const element = { number, id: "", closest: (selector) => (selector === "section" ? section : null), querySelector: () => null, querySelectorAll: () => [] };
    const show = (text, outputs, isPages) => ((cells[number].ran = text), note("")(outputs), { cell: cells[number], differs: isPages || outputs.some(({ kind }) => kind === "failed") ? [] : ["1 → 2 sectors"], moved: outputs[0]?.text !== "old", stays: false });
    const more = { show, beside: note("beside: "), waits: (next) => (told[number] = next ? "Runs next." : ""), stale: (old) => (marks[number] = old ? "old" : ""), putBack: () => (marks[number] = "page"), isToldOf: () => {}, tell: (...parts) => (buttons.push(...parts.filter(({ name }) => name === "button")), told[number] = parts.map((part) => part.words ?? part).join("")) };
    return [number, { number, title: `In[${number}]`, text, source: text, ran: text, needs: [], element: hidden.includes(number) ? null : element, ...more }];
  }));
  const apart = Object.values(puzzles).flatMap(([setup]) => [0, 1, 2, 3].map((part) => setup + part)), order = Object.keys(cells).map(Number).filter((number) => !apart.includes(number));
  for (const number of order) cells[number].needs = [...needs(number, order.filter((each) => each < number)), number];
  const planner = new Planner(needs, kernels);
  const python = { runs: true, ready: Promise.resolve(), ask: async ({ plan: asked, run }) => asked ? planner.plan(asked) : (planner.ran(run), ran.push(run.number), run.checks && checked.push(run.number), answers(run.number, run.source) || shown("new")) };
  const bar = { say: (words) => said.push(words), failed: (error, more) => said.push(error.message + more), working: () => {} };
  return { cells, python, said, ran, checked, buttons, told, shows, marks, runs: new Runs(cells, puzzles, python, bar, () => {}) };
}

test("a run ends at the first cell above that fails: the cell that was asked for is told which, and has not run", async () => {
  const { cells, runs, ran, told, shows, said } = page(["a = 1", "b = 1", "a + b"], (number, text) => text === "b = " && failed("line 1: SyntaxError"));
  cells[2].text = "b = ";
  await runs.turns.run(cells[3]);
  assert.deepEqual(ran, [1, 2]);
  assert.equal(shows[2], "beside: line 1: SyntaxError");
  assert.equal(shows[3], "beside: line 1: SyntaxError");
  assert.match(told[3], /^Not run: In\[2\] above ends with this error\.$/);
  assert.equal(said.at(-1), "In[2] ends with an error: see below In[3].");
  cells[2].text = "b = 2";
  await runs.turns.run(cells[3]);
  assert.deepEqual(ran, [1, 2, 2, 3]);
});

test("where this page breaks in a cell further down, nothing below the cell says that it still runs", async () => {
  const { cells, runs, told } = page(["a = 1", "a"], (number) => {
    if (number === 1) return shown("new");
    assert.match(told[1], /^Your cell has run\. Running/);
    throw new TypeError("undefined is not a function");
  });
  cells[1].text = "a = 2";
  await runs.turns.run(cells[1]);
  assert.equal(told[1], "");
});

test("an error in a cell is called the reader's where its text is, and else the change above is named", async () => {
  let at = [3, 1, false];
  const { cells, runs, told, said } = page(["a = 1", "b = 1", "a / b"], (number) => number === 3 && failed("line 1: ZeroDivisionError", at));
  cells[2].text = "b = 0";
  await runs.turns.run(cells[3]);
  assert.match(told[3], /^The page’s cell, line 1, ends with this error\. It works with the page’s text: In\[2\] above has your change\. Ran in/);
  at = [2, 6, true]; // in a kernel that the cell launches
  await runs.turns.run(cells[3]);
  assert.match(told[3], /^Your kernel, line 6 of In\[2\], ends with this error\. Ran in .* s\.$/);
  assert.equal(said.at(-1), "Your kernel, line 6 of In[2], ends with an error: see below In[3].");
  at = [3, 2, false];
  cells[3].text = "b / 0";
  await runs.turns.run(cells[3]);
  assert.match(told[3], /^Your cell, line 2, ends with this error\. Ran in/);
  at = null;
  await runs.turns.run(cells[3]);
  assert.match(told[3], /^Your cell ends with this error\. Ran in/);
});

test("once its kernel fails where a cell launches it, nothing launches it again, and each cell says why it has not run", async () => {
  const { cells, runs, ran, told, said } = page(["kernel", "one", "two", "three"], (number) => number === 2 && failed("line 1 of In[2]: OutOfBounds\n  more", [1, 6, true]), { needs: (number) => (number > 1 ? [1] : []) });
  cells[1].text = "kernel+";
  await runs.turns.run(cells[1]);
  assert.deepEqual(ran, [1, 2]);
  assert.match(told[1], /^Your kernel, line 6, ends with this error where In\[2\] uses it\. Ran in .* In\[3\] and In\[4\] have not run: In\[2\] ends with an error\./);
  assert.equal(said.at(-1), "Your kernel, line 6, ends with an error: see below In[1].");
  assert.deepEqual([2, 3].map((number) => told[number]), ["Not run to its end: line 1 of In[2]: OutOfBounds", "Not run: In[2] ends with an error."]);
  cells[1].text = "kernel";
  runs.changed(cells[1]); // the page's results are right again
  assert.deepEqual([2, 3].map((number) => told[number]), ["", ""]);
});

test("what uses a cell that fails does not run, and says so", async () => {
  const { cells, runs, ran, told } = page(["a", "a + 1", "a + 2"], (number) => number === 1 && failed("NameError", [1, 1, false]));
  cells[1].text = "b";
  await runs.turns.run(cells[1]);
  assert.deepEqual(ran, [1]);
  assert.match(told[1], /^Your cell, line 1, ends with this error\. Ran in .* s\. In\[2\] and In\[3\] have not run: In\[1\] ends with an error\.$/);
  assert.deepEqual([told[2], told[3]], Array(2).fill("Not run: In[1] ends with an error."));
});

/** Python that does not answer the run of this cell, until it is stopped. */
function endless({ python }, number) {
  const { ask } = python;
  let stop = null;
  python.ask = (asked) => (asked.run?.number === number ? new Promise((_, reject) => (stop = reject)) : ask(asked));
  return () => (Object.assign(python, { ask }), stop(new Stopped()));
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Python that asks for a new one, for the sake of In[2], as long as it is the first. */
function carrying({ python, ran }, order) {
  const { ask } = python;
  let carries = true;
  python.ask = async (asked) => (asked.plan ? { ...(await ask(asked)), anew: carries ? 2 : null } : ask(asked));
  Object.assign(python, { end: () => (order.push("end"), (python.runs = false)), begin: async () => (order.push(`begin after ${ran.length} runs`), (python.runs = true), (carries = false)) });
}

test("where what an earlier text set would count, a new Python begins before a cell runs, and the bar says why", async () => {
  const order = [], three = page(["a", "b", "c"]), { cells, runs, ran, told, said } = three;
  carrying(three, order);
  await runs.turns.run(cells[3]);
  assert.deepEqual(order, ["end", "begin after 0 runs"]);
  assert.ok(said.includes("A new Python begins: what In[2] set before must not count here …"));
  assert.deepEqual(ran, [1, 2, 3]);
  assert.match(told[3], /^Ran in/);
});

test("a puzzle runs in a Python without the page's settings, and the page's kernel before it", async () => {
  const order = [], five = page(["a", "b", "kernel", "check", "solution"], undefined, { hidden: [2], puzzles: { 3: [2, 3, 4] } }), { cells, runs, ran } = five;
  carrying(five, order);
  cells[4].putBack = () => {};
  await runs.turns.run(cells[3]);
  assert.deepEqual([order, ran], [["end", "begin after 0 runs"], [2, 3, 4, 3, 4]]);
});

test("what is stopped says so, with what uses it; another cell does not begin it again, and it runs when it is asked for", async () => {
  const three = page(["a", "b", "c"]), { cells, runs, ran, told, said } = three;
  for (const cell of Object.values(cells)) cell.editable = true;
  cells[2].text = "while True: pass";
  const stop = endless(three, 2), done = runs.turns.run(cells[2]);
  await settled();
  stop();
  await done;
  assert.deepEqual([told[2], told[3]], ["Stopped. In[1] ran to its end.", "Not run: the run of In[2] was stopped."]);
  ran.length = 0;
  await runs.turns.run(cells[3]);
  assert.deepEqual([ran, told[3]], [[], "Not run: In[2], which In[3] needs, was stopped. Change In[2], or run it to its end."]);
  assert.equal(said.at(-1), "Not run: In[2], which In[3] needs, was stopped.");
  await runs.turns.run(cells[2]);
  await runs.turns.run(cells[3]);
  assert.match(told[3], /^Ran in/);
});

test("what was stopped does not run for the sake of what stands below another cell either", async () => {
  const three = page(["a", "b", "c", "d"], undefined, { needs: (number) => ({ 3: [1, 2], 4: [1] })[number] ?? [] }), { cells, runs, told } = three;
  cells[2].editable = true;
  const stop = endless(three, 2), done = runs.turns.run(cells[2]);
  await settled();
  stop();
  await done;
  assert.deepEqual([told[2], told[3]], ["Stopped. In[1] ran to its end.", "Not run: the run of In[2] was stopped."]);
  endless(three, 2);
  await runs.turns.run(cells[1]);
  assert.match(told[1], /^Ran in .* s\. In\[3\] has not run: In\[2\] was stopped\.$/);
  assert.deepEqual([told[3], told[4]], ["Not run: In[2] was stopped.", undefined]);
});

test("a change of what was stopped, or of what it needs, lets others run again; so does one that the reader cannot run herself", async () => {
  for (const [changed, editable] of [[1, true], [2, true], [0, false]]) {
    const three = page(["a", "b", "c"]), { cells, runs, told } = three;
    Object.assign(cells[2], { editable });
    const stop = endless(three, 2), done = runs.turns.run(cells[1]);
    await settled();
    stop();
    await done;
    assert.equal(told[1], "Stopped, while In[2] ran. In[1] ran to its end.");
    if (changed) cells[changed].text += "+";
    await runs.turns.run(cells[3]);
    assert.match(told[3], /^Ran in/);
  }
});

test("what uses the cell below and fails leaves what stands there, and is told under the cell", async () => {
  const { cells, runs, ran, told, shows, marks } = page(["a = 1", "print(a)", "a + 1"], (number) => number === 2 && failed("NameError"));
  cells[1].text = "b = 1";
  await runs.turns.run(cells[1]);
  assert.deepEqual(ran, [1, 2]);
  assert.deepEqual([shows, marks], [{ 1: "beside: NameError" }, { 1: "", 2: "old", 3: "old" }]);
  cells[2].editable = true;
  await runs.turns.run(cells[1]);
  assert.match(told[1], /^What uses it below, In\[2\], ends with this error\. Ran in/);
  cells[2].editable = false;
  await runs.turns.run(cells[1]);
  assert.match(told[1], /^A hidden cell below, which uses yours and is made for the page’s kernel, ends with this error\./);
});

test("a cell that the page does not show and that fails is named in the bar", async () => {
  const { cells, runs, ran, said } = page(["import it", "it"], (number) => number === 1 && failed("ImportError"), { hidden: [1] });
  await runs.turns.run(cells[2]);
  assert.deepEqual(ran, [1]);
  assert.equal(said.at(-1), "In[1], which prepares the page, ends with ImportError.");
});

test("both numbers are told, and whose change made them", async () => {
  const { cells, runs, told } = page(["a = 1", "a", "a + 1"], (number) => number === 1 && shown("old"));
  await runs.turns.run(cells[2]);
  assert.match(told[2], /^Ran in .* s\. All that this section shows is as on the page\.$/);
  cells[1].text = "a = 2";
  await runs.turns.run(cells[1]);
  assert.match(told[1], /s\. The page → yours, here: 1 → 2 sectors; In\[2\]: 1 → 2 sectors; In\[3\]: 1 → 2 sectors\. Numbers in/);
  await runs.turns.run(cells[3]); // what it shows comes from another cell's change, and what that one shows is not told here
  assert.match(told[3], /s\. The page → yours, here: 1 → 2 sectors\. The cell has the page’s text: this comes from your change of In\[1\]\. Numbers/);
  cells[3].text = "a + 2";
  await runs.turns.run(cells[3]);
  assert.match(told[3], /here: 1 → 2 sectors\. Your change of In\[1\] counts here, too\. Numbers/);
});

test("a cell above that fails keeps those from running that need it, and no others", async () => {
  const only3 = (number) => (number === 4 ? [1] : number === 3 ? [2] : []);
  const { cells, runs, ran, told } = page(["a", "b", "c", "d"], (number) => number === 1 && failed("no a"), { needs: only3 });
  cells[3].text = "c+";
  await runs.turns.run(cells[3]);
  assert.deepEqual(ran, [1, 2, 3]);
  assert.match(told[3], /here: 1 → 2 sectors\. In\[4\] has not run: In\[1\] ends with an error\./);
});

test("what uses the cell below and fails keeps those from running that need it, and no others", async () => {
  const lines = { 3: [1, 2], 4: [1], 5: [1], 6: [1, 5] };
  const { cells, runs, ran, told } = page(["a", "b", "c", "d", "e", "f"], (number) => [3, 5].includes(number) && failed(`${number} ends`), { needs: (number) => lines[number] ?? [], hidden: [5] });
  cells[1].text = "a+";
  await runs.turns.run(cells[1]);
  assert.deepEqual(ran, [1, 2, 3, 4, 5]);
  assert.match(told[1], /^What uses it below, In\[3\], ends with this error\. Ran in .* s\. The page → yours, here: .*; In\[4\]: 1 → 2 sectors\. In\[6\] has not run: In\[5\] \(a cell that this page does not show\) ends with an error\./);
});

test("of several that use the cell and fail the first is told, and of one that does not use it what lacks for it", async () => {
  const lines = { 2: [1], 3: [1], 5: [1, 4] };
  const { cells, runs, told, shows } = page(["a", "b", "c", "d", "e"], (number) => [2, 3, 4].includes(number) && failed(`${number} ends`), { needs: (number) => lines[number] ?? [] });
  cells[1].text = "a+";
  await runs.turns.run(cells[1]);
  assert.equal(shows[1], "beside: 2 ends");
  assert.match(told[1], /What uses it below, In\[2\], ends with this error\..* In\[5\] has not run: In\[4\] ends with an error\./);
  const three = page(["a", "b", "c"], (number) => number === 2 && failed("2 ends"), { needs: (number) => (number === 3 ? [1, 2] : []) });
  three.cells[1].text = "a+";
  await three.runs.turns.run(three.cells[1]);
  assert.match(three.told[1], /^Ran in .* s\. The page → yours, here: 1 → 2 sectors\. In\[3\] has not run: In\[2\] ends with an error\./);
});

test("what a run needed is of the texts that ran, too", async () => {
  const two = page(["a", "b"], (number) => void (number === 2 && typed(two, { 2: "b + a" })), { needs: () => [] });
  two.cells[2].needs = [1, 2]; // on the page it uses a
  typed(two, { 1: "a+", 2: "b+" });
  await two.runs.turns.run(two.cells[2]);
  assert.match(two.told[2], /here: 1 → 2 sectors\. Numbers/);
});

test("of what runs below only that is told which uses the cell", async () => {
  const { cells, runs, ran, said, told } = page(["a", "b", "c"], undefined, { needs: (number) => (number === 3 ? [1, 2] : []) });
  cells[1].text = "a+";
  await runs.turns.run(cells[1]);
  assert.deepEqual(ran, [1, 2, 3]);
  assert.deepEqual(said.slice(0, 3), ["Running In[1], 1 of 3 …", "Running what is needed below In[1], 2 of 3 …", "Running what uses In[1], 3 of 3 …"]);
  assert.match(told[1], /here: 1 → 2 sectors; In\[3\]: 1 → 2 sectors\. /);
});

test("the launches of cells that need a changed one are checked, and those of no other, nor of a puzzle, which checks its own", async () => {
  const { cells, runs, ran, checked } = page(["a", "b", "c", "setup", "kernel", "check", "solution"], undefined, { needs: (number) => (number === 3 ? [1, 2] : []), hidden: [4], puzzles: { 5: [4, 5, 6] } });
  cells[1].text = "a+";
  cells[5].text = "kernel+";
  await runs.turns.run(cells[3]);
  await runs.turns.run(cells[5]);
  assert.deepEqual([ran, checked], [[1, 2, 3, 4, 5, 6, 5, 6], [1, 3]]);
});

test("of a kernel that nothing launches it is said that it did not run, and what would launch it", async () => {
  const launch = "launch it in this cell, `first[1, 32](x)`, and print what it wrote", kernels = { 1: [{ name: "first", launch, runs: [] }], 2: [{ name: "later", launch, runs: [3] }], 3: [{ name: "launched", launch, runs: [3] }] };
  const { cells, runs, told } = page(["a", "b", "c"], () => shown("old"), { kernels: (number) => kernels[number] });
  for (const cell of Object.values(cells)) cell.element.closest = (selector) => (selector === "section" ? { contains: ({ number }) => number === cell.number } : null);
  for (const cell of Object.values(cells)) cell.show = () => ({ cell, differs: [], moved: false, stays: false });
  for (const number of [1, 2, 3]) await runs.turns.run(cells[number]);
  assert.match(told[1], /s\. Nothing has launched first: launch it in this cell, first\[1, 32\]\(x\), and print what it wrote\.$/);
  assert.match(told[2], /s\. Nothing has launched later: In\[3\] further down does\. Run that, or launch it in this cell, .*\.$/);
  assert.match(told[3], /s\. All that this section shows is as on the page\.$/);
});

test("what uses the cell beyond its section is counted, and runs when it is asked for", async () => {
  const four = page(["a", "b", "c", "d"], undefined, { needs: (number) => (number === 2 ? [] : [1]) });
  for (const cell of Object.values(four.cells)) Object.assign(cell, { published: [], element: Object.assign(cell.element, { closest: (selector) => (selector === "section" ? { contains: ({ number }) => number < 3 } : null) }) });
  four.cells[1].text = "a+";
  await four.runs.turns.run(four.cells[1]);
  assert.match(four.told[1], / Run what uses it further down, too \(2 results\)$/);
  four.ran.length = 0;
  await four.buttons.at(-1).onclick();
  assert.deepEqual(four.ran, [1, 2, 3, 4]);
  assert.doesNotMatch(four.told[1], /further down/);
});

test("what was to run further down, and was stopped, does not come with the next run", async () => {
  const three = page(["a", "b", "c"], undefined, { needs: (number) => (number === 1 ? [] : [1]) }), ask = three.python.ask;
  for (const cell of Object.values(three.cells)) Object.assign(cell, { published: [], element: Object.assign(cell.element, { closest: (selector) => (selector === "section" ? { contains: ({ number }) => number < 2 } : null) }) });
  three.cells[1].text = "a+";
  await three.runs.turns.run(three.cells[1]);
  let stop;
  three.python.ask = () => new Promise((_, reject) => (stop = reject));
  const stopped = three.runs.turns.run(three.cells[2]);
  await new Promise((resolve) => setImmediate(resolve));
  three.buttons.at(-1).onclick(); // it waits for its turn
  stop(new Stopped());
  await stopped;
  Object.assign(three.python, { ask });
  three.ran.length = 0;
  await three.runs.turns.run(three.cells[1]);
  assert.deepEqual(three.ran, [1]);
  const done = three.runs.turns.run(three.cells[1]);
  three.buttons.at(-1).onclick();
  await done;
  assert.deepEqual(three.ran, [1, 1, 1, 2, 3]);
});

test("a change that changes nothing since the last run is told so, and a picture that stays", async () => {
  const { cells, runs, told } = page(["a", "a + 1"], () => shown("old"));
  cells[1].text = "a+";
  await runs.turns.run(cells[1]);
  assert.match(told[1], /The page → yours, here: .* It is as it was before this run\./);
  cells[2].show = () => ({ cell: cells[2], differs: [], moved: false, stays: true });
  await runs.turns.run(cells[2]);
  cells[2].text = "a + 2";
  await runs.turns.run(cells[2]);
  assert.match(told[2], / To see more of it, launch it in this cell and print what it wrote\./);
  assert.match(told[2], / s\. .*In\[2\] still shows the page’s result, and says why\./);
});

/** A Python that is still loading; `loads` ends that. */
function loading({ python }) {
  let loads;
  Object.assign(python, { runs: false, begin: () => ((python.runs = true), (python.ready = new Promise((resolve) => (loads = resolve))).then(() => {})) });
  return () => loads();
}

test("the page is ready when Python is there and nothing waits for it", async () => {
  const idle = page(["a = 1"]), loads = loading(idle), started = idle.runs.turns.start("Your change is back.");
  loads();
  await started;
  assert.deepEqual(idle.said, ["Ready. Your change is back."]);
  const asked = page(["a = 1"]), comes = loading(asked), begun = asked.runs.turns.start(), ran = asked.runs.turns.run(asked.cells[1]);
  comes();
  await Promise.all([begun, ran]);
  assert.match(asked.said.join(), /^Running In\[1\], 1 of 1 …,Ran in /);
});

test("Run while something runs is said, and that cell runs next; of several the last", async () => {
  const { cells, runs, ran, told } = page(["a = 1", "b = 1", "c = 1"]);
  const done = runs.turns.run(cells[1]);
  runs.turns.run(cells[2]);
  assert.equal(told[2], "Runs next.");
  runs.turns.run(cells[3]);
  assert.deepEqual([told[2], told[3]], ["", "Runs next."]);
  await done;
  assert.deepEqual(ran, [1, 2, 3, 3]);
  assert.match(told[3], /^Ran in/);
});

test("controls of a Python that ended are the next one's no more", async () => {
  const { cells, runs, python } = page(["play"]), control = { dataset: { control: "0" }, querySelectorAll: () => inputs };
  const inputs = [control, "a view within it"].map((of) => ({ disabled: false, closest: () => of }));
  Object.assign(python, { runs: false, begin: async () => (python.runs = true) });
  document.querySelectorAll = (what) => (what === "[data-control]" ? [control] : []);
  await runs.turns.run(cells[1]);
  assert.deepEqual([control.dataset, inputs.map(({ disabled }) => disabled)], [{}, [true, false]]);
});

test("after Stop nothing runs next", async () => {
  const { cells, runs, told, python, ran } = page(["a = 1", "b = 1"]);
  python.ask = () => Promise.reject(new Stopped());
  const done = runs.turns.run(cells[1]);
  runs.turns.run(cells[2]);
  await done;
  assert.deepEqual([ran, told[2]], [[], ""]);
});

/** The reader gives cells these texts; the marks of all cells after that. */
function typed({ cells, runs, marks }, texts) {
  for (const [number, text] of Object.entries(texts)) {
    cells[number].text = text;
    runs.changed(cells[number]);
  }
  return Object.values(marks).join();
}

test("a result is old while its cell, or one before it, has another text than it was made of", async () => {
  const four = page(["a", "b", "c", "d"]);
  four.cells[2].element.closest = () => ({ contains: ({ number }) => number < 4 }); // the section ends
  assert.equal(typed(four, { 2: "b+" }), ",old,old,old");
  await four.runs.turns.run(four.cells[2]);
  assert.equal(Object.values(four.marks).join(), ",,,old");
  assert.equal(typed(four, { 2: "b++" }), ",old,old,old");
  assert.equal(typed(four, { 2: "b+" }), ",,,old"); // a letter typed, and taken away
  assert.equal(typed(four, { 3: "c+" }), ",,old,old");
  assert.equal(typed(four, { 2: "b" }), ",page,old,old");
  assert.match(four.said.at(-1), /In\[2\] has the page's text again, and its results/);
  assert.equal(typed(four, { 1: "a+", 3: "c" }), "old,old,old,old");
  assert.match(four.said.at(-1), /In\[1\] has your change, so run it again/);
  assert.equal(typed(four, { 1: "a" }), ",,page,"); // what ran with the page's texts stays
});

test("what is changed while it runs is marked as soon as its result is there", async () => {
  const two = page(["a", "b"], (number) => void (number === 1 && typed(two, { 1: "a++" })));
  two.cells[1].text = "a+";
  await two.runs.turns.run(two.cells[1]);
  assert.deepEqual(two.marks, { 1: "old", 2: "old" });
  typed(two, { 1: "a" });
  assert.deepEqual(two.marks, { 1: "page", 2: "page" });
});

test("an error of the page's own texts stays until a text is another one", async () => {
  const two = page(["a", "b"], (number) => number === 1 && failed("MemoryError"));
  await two.runs.turns.run(two.cells[2]);
  assert.deepEqual(two.marks, { 1: "old", 2: "old" });
  assert.equal(typed(two, { 2: "b" }), "page,page");
});

test("a puzzle's results follow its own cells only", () => {
  const five = page(["a", "setup", "kernel", "check", "solution", "b"], undefined, { hidden: [2], puzzles: { 3: [2, 3, 4] } });
  assert.equal(typed(five, { 3: "kernel+" }), ",old,old,,");
  assert.equal(typed(five, { 1: "a+" }), "old,old,old,,old");
  assert.equal(typed(five, { 3: "kernel" }), "old,,,,old");
});
