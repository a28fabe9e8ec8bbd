// What does a reader see of a live page whose cells are changed, run and reset? All of live.js (live_page.mjs).
import assert from "node:assert/strict";
import { test } from "node:test";
import { linkOf } from "../../book/live/page/links.js";
import { questionOf } from "../../book/live/page/places.js";
import { newDocument } from "./dom.mjs";
import { memory, nameOf, opened, settled } from "./live_page.mjs";

const fragment = (edits) => new URL(linkOf("https://course.example/", edits)).hash;

/** A page that is closed when the test is over. */
async function open(t, ...how) {
  const page = await opened(...how);
  t.after(page.close);
  return page;
}

const numbers = ({ asked }) => asked.map(({ number }) => number);
const kept = ({ document }) => document.querySelectorAll(".live-apart pre").map(({ textContent }) => textContent);
const A = nameOf(1), B = nameOf(2);

/** What a cell shows that makes a playground of this text, whose controls have the numbers 3 and 4. */
const playground = (text) => [{ kind: "shown", text: "", html: `<div class="live-row"><div data-control="3" class="gpusim-editor"><textarea>${text}</textarea></div><div data-control="4"><input type="range"></div></div>` }];

test("a page opens, runs what a cell needs, and says so", async (t) => {
  const page = await open(t, ["a = 1", "a"]), stops = () => page.document.querySelectorAll("button").filter(({ textContent, hidden }) => textContent === "Stop" && !hidden).length;
  assert.equal(stops(), 0);
  assert.match(page.invited, /^Change this page's kernels/);
  assert.match(page.said, /^Ready\. Change a cell/);
  await page.run(2);
  assert.match(page.said, /^Ran in/);
  assert.deepEqual(numbers(page), [1, 2]);
  assert.match(page.below(2), /^Ran in .* s\. All that this section shows is as on the page\.$/);
  page.held = [];
  await page.run(2);
  assert.equal(stops(), 1);
  await page.release();
  assert.equal(stops(), 0);
});

test("how a run went is said until the reader goes on, and below its cell it is marked as of the run before", async (t) => {
  const page = await open(t, ["a = 1"]);
  const isOld = () => page.cell(1).querySelector(".live-ran").classList.contains("live-old");
  page.editors[0].type("a = 2");
  await page.run(1);
  assert.deepEqual([/^Ran in/.test(page.said), isOld()], [true, false]);
  page.editors[0].type("a = 3");
  assert.deepEqual([page.said, isOld()], ["", true]);
  page.editors[0].type("a = 2");
  assert.equal(isOld(), false);
  page.held = [];
  await page.run(1);
  page.editors[0].type("a = 4"); // while it runs
  await page.release();
  assert.equal(isOld(), true);
});

test("what is typed into a playground can be reset there", async (t) => {
  const page = await open(t, ["page's"], { answers: ({ source }) => playground(source) }), reset = () => page.cell(1).querySelectorAll(".gpusim-editor button").filter(({ textContent, hidden }) => textContent === "Reset" && !hidden);
  await page.run(1);
  assert.equal(reset().length, 0);
  page.editors[1].type("typed");
  assert.deepEqual([reset().length, page.stored.edits], [1, { [`${A}, playground`]: "typed" }]);
  reset()[0].onclick();
  assert.deepEqual([reset().length, page.stored.edits, page.editors[1].text], [0, {}, "page's"]);
});

test("a link's cell brings its own playground: what the reader typed into another is kept, to copy", async (t) => {
  const stored = memory({ [`${A}, playground`]: "typed" });
  const page = await open(t, ["page's"], { stored, hash: fragment({ [A]: "theirs" }), answers: ({ source }) => playground(source) });
  assert.match(page.said, /The link's change is in In\[1\]: run it\. Some changes are not in the page: see below\./);
  await page.run(1);
  assert.deepEqual([page.editors.map(({ text }) => text), page.asked.filter(({ control }) => control)], [["theirs", "theirs"], []]);
  assert.deepEqual(kept(page), ["typed"]);
  assert.deepEqual(stored.edits, { [A]: "theirs", [`${A}, playground, own 1`]: "typed" });
});

test("so does a link that is pasted where the page is open; one of the same cell leaves what was typed", async (t) => {
  const page = await open(t, ["page's"], { answers: ({ source }) => playground(source) });
  page.editors[0].type("mine");
  await page.run(1);
  page.editors[1].type("typed");
  await page.go(fragment({ [A]: "mine" }));
  assert.deepEqual([page.stored.edits, kept(page)], [{ [A]: "mine", [`${A}, playground`]: "typed" }, []]);
  await page.go(fragment({ [A]: "theirs" }));
  assert.deepEqual(kept(page), ["mine", "typed"]);
  assert.equal(page.location.hash, "");
  await page.run(1);
  assert.deepEqual(page.editors.map(({ text }) => text), ["theirs", "typed", "theirs"]);
});

test("a link carries what was typed into the cell's playground, too", async (t) => {
  const page = await open(t, ["page's"], { answers: ({ source }) => playground(source) });
  page.editors[0].type("mine");
  await page.run(1);
  page.editors[1].type("typed");
  page.press("Copy a link to it");
  await settled();
  assert.match(page.said, /it carries your cell, with what you typed into its playground, and nothing was sent/);
  const other = await open(t, ["page's"], { hash: new URL(page.copied).hash, answers: ({ source }) => playground(source) });
  await other.run(1);
  assert.deepEqual(other.editors.map(({ text }) => text), ["mine", "typed"]);
});

test("where the browser has no room the address carries what it does not keep, says so, and nothing is lost", async (t) => {
  const stored = memory({ [A]: "before" }), page = await open(t, ["a", "b"], { stored, answers: ({ source }) => playground(source) });
  stored.full = true;
  page.editors[0].type("mine");
  assert.match(page.said, /^This browser keeps no changes, or has no room for yours: the address of this page carries them now\. Copy it before you leave\.$/);
  page.editors[1].type("mine, too");
  await page.run(2);
  page.editors.at(-1).type("typed");
  await settled();
  assert.match(page.said, /Copy it before you leave/, "the playground ran and left it there");
  const again = await open(t, ["a", "b"], { stored, hash: page.location.hash, answers: ({ source }) => playground(source) });
  assert.deepEqual(again.editors.map(({ text }) => text), ["mine", "mine, too"]);
  assert.match(again.said, /The link's changes are in In\[1\], In\[2\]: run it\. Some changes are not in the page: see below\. This browser keeps no changes/);
  assert.deepEqual(kept(again), ["before"]);
  await again.run(2);
  assert.deepEqual(again.editors.at(-1).text, "typed");
  again.editors[0].type("a"); // as the page has it
  const third = await open(t, ["a", "b"], { stored, hash: again.location.hash });
  assert.equal(third.editors[1].text, "mine, too");
  stored.full = false;
  third.editors[1].type("mine, at last");
  assert.deepEqual([stored.edits[B], third.location.hash], ["mine, at last", ""]);
});

test("a full browser with nothing to keep says nothing, and what it keeps of a cell goes along with what it does not", async (t) => {
  const stored = memory({ [A]: "mine" }), how = { stored, answers: ({ source }) => playground(source) }, page = await open(t, ["a", "b"], how);
  stored.full = true;
  const idle = await open(t, ["a", "b"], how);
  assert.equal(idle.said, "Ready. Your change is back in In[1], not run yet.");
  const play = await open(t, ["a", "b"], how);
  await play.run(1);
  play.editors[2].type("typed");
  const another = await open(t, ["a", "b"], { ...how, stored: memory(), hash: play.location.hash });
  await another.run(1);
  assert.deepEqual([another.editors[0].text, another.editors[2].text], ["mine", "typed"]);
  const copies = await open(t, ["a", "b"], how);
  navigator.clipboard.writeText = () => Promise.reject(new Error("refused"));
  copies.editors[0].type("mine+");
  copies.editors[1].type("mine, too");
  copies.press("Copy a link to it", copies.cell(2));
  await settled();
  assert.equal(copies.said, "The address of this page now carries your cell: copy it.");
  const both = await open(t, ["a", "b"], { stored: memory(), hash: copies.location.hash });
  assert.deepEqual(both.editors.map(({ text }) => text), ["mine+", "mine, too"]);
  page.close();
});

test("a link that brings a playground's text is of the page's cell, and a cell that changes makes another playground", async (t) => {
  const page = await open(t, ["a"], { answers: ({ source }) => playground(source) });
  page.editors[0].type("mine");
  await page.go(fragment({ [`${A}, playground`]: "theirs" }));
  assert.deepEqual([page.editors[0].text, kept(page), page.stored.edits[A]], ["a", ["mine"], undefined]);
  await page.run(1);
  assert.equal(page.editors.at(-1).text, "theirs");
  page.editors[0].type("mine+");
  await page.run(1);
  assert.equal(page.editors.at(-1).text, "mine+");
});

test("a link that fits no cell stays in the address where the browser does not keep it, and so does a link's second cell", async (t) => {
  const stored = Object.assign(memory(), { full: true }), gone = { [nameOf(77)]: "of another edition" };
  const page = await open(t, ["a"], { stored, hash: fragment(gone) });
  assert.deepEqual([page.location.hash, kept(page)], [fragment(gone), ["of another edition"]]);
  assert.match(page.said, /Some changes are not in the page: see below\. This browser keeps no changes/);
  const two = await open(t, ["a", "b"], { stored, hash: fragment({ [A]: "A", [B]: "B" }) });
  two.editors[0].type("A+");
  const again = await open(t, ["a", "b"], { stored, hash: two.location.hash });
  assert.deepEqual(again.editors.map(({ text }) => text), ["A+", "B"]);
});

test("a browser that takes no address either is said, and nothing breaks", async (t) => {
  const stored = Object.assign(memory(), { full: true }), page = await open(t, ["a"], { stored });
  history.replaceState = () => { throw new Error("SecurityError"); };
  page.editors[0].type("mine");
  assert.match(page.said, /copy a link to each of them before you leave/);
  await page.run(1);
  assert.match(page.below(1), /^Ran in/);
  navigator.clipboard.writeText = () => Promise.reject(new Error("refused"));
  page.press("Copy a link to it");
  await settled();
  assert.match(page.said, /^This browser neither copies nor changes an address/);
});

test("a broken link is said where it is opened, before the click and after, and where it is pasted; nothing else is said of it", async (t) => {
  const page = await open(t, ["a"], { hash: "#edit=eyJ", stored: memory({ [A]: "mine" }) }), broken = /^This link should carry .* whole\./;
  assert.match(page.invited, broken);
  assert.match(page.said, /^Ready\. This link should .* whole\. Your change is back in In\[1\], not run yet\.$/);
  await page.run(1);
  await page.go("#edit=eyJ");
  assert.match(page.said, /^This link should .* whole\.$/);
});

test("Run pressed twice while Python loads runs once", async (t) => {
  const page = await open(t, ["a", "b"], { hold: true });
  await page.run(2);
  assert.equal(page.below(2), "Runs next.");
  await page.run(2);
  await page.release();
  assert.deepEqual(numbers(page), [1, 2]);
  assert.match(page.said, /^Ran in/);
});

test("what runs next says so until it runs, whatever the run before it shows there", async (t) => {
  const page = await open(t, ["a", "b", "c"]);
  page.held = [];
  await page.run(1);
  await page.run(2);
  for (const below of ["Runs next.", "Runs next.", "Runs next.", ""]) { // it is said which cells run; the first run shows In[1], In[2], In[3]
    page.held.shift()();
    await settled();
    assert.equal(page.below(2), below);
  }
  await page.release();
  assert.deepEqual(numbers(page), [1, 2, 3, 2, 3]);
  assert.match(page.below(2), /^Ran in/);
});

/** What is offered below the first cell's text. */
const tools = (page) => page.cell(1).querySelectorAll(".live-tools button").filter(({ hidden }) => !hidden).map(({ textContent }) => textContent);

test("Reset brings back the page's results, and its text is kept no more", async (t) => {
  const page = await open(t, ["a", "b"]);
  assert.deepEqual(tools(page), ["Run"]);
  page.editors[0].type("mine");
  assert.deepEqual(tools(page), ["Run", "Reset", "Copy a link to it"]);
  await page.run(1);
  assert.deepEqual([page.cell(2).querySelector(".cell_output").textContent, page.stored.edits], ["new", { [A]: "mine" }]);
  assert.equal(page.document.querySelectorAll(".live-stale").length, 0);
  page.press("Reset", page.cell(1));
  assert.equal(page.said, "In[1] has the page's text again, and its results.");
  assert.deepEqual([page.cell(2).querySelector(".cell_output").textContent, page.stored.edits, page.editors[0].text], ["page's 2", {}, "a"]);
  assert.deepEqual([tools(page), page.cell(1).querySelector(".live-due").textContent], [["Run"], ""]);
});

test("a cell that is reset while it runs has the page's results in the end, and that is what is said", async (t) => {
  const page = await open(t, ["a", "b"]);
  page.editors[0].type("mine");
  page.held = [];
  await page.run(1);
  page.press("Reset", page.cell(1));
  await page.release();
  assert.equal(page.said, "In[1] has the page's text again, and its results.");
  assert.deepEqual([1, 2].map((number) => page.cell(number).querySelector(".cell_output").textContent), ["page's 1", "page's 2"]);
  assert.equal(page.below(1), "");
});

test("after Stop all cells run again, and nothing of what was moved or waited", async (t) => {
  const page = await open(t, ["a", "b"], { answers: ({ source }) => playground(source) });
  await page.run(2);
  page.held = [];
  const [input] = page.cell(2).querySelectorAll("input");
  await page.run(2);
  input.type = "range";
  input.value = "8";
  page.document.fire("input", input);
  page.press("Stop");
  await settled();
  assert.match(page.said, /^Stopped\. Your changes stay; Python starts anew/);
  page.asked.length = 0;
  page.held = null;
  await page.run(2);
  assert.deepEqual(page.asked.map(({ number, control }) => number ?? `control ${control}`), [1, 2]);
});

test("a reader's kernel is checked where it is launched, what is found is said below the cell, and its cell is linked", async (t) => {
  const found = [{ kind: "found", text: "racecheck finds: nothing orders the two, line 8 of In[1], line 10 of In[1]." }, { kind: "unchecked", text: "Not all of `put`, In[1], was checked." }];
  const page = await open(t, ["kernel", "launch"], { answers: ({ checks }) => [...(checks ? found : []), { kind: "shown", text: "63" }] });
  await page.run(2);
  assert.deepEqual(page.asked.map(({ checks, claims }) => [checks, claims]), [[false, false], [false, false]]);
  page.editors[0].type("mine");
  page.asked.length = 0;
  await page.run(2);
  assert.deepEqual(page.asked.map(({ checks, claims }) => [checks, claims]), [[true, true], [true, false]]);
  assert.match(page.below(2), /racecheck finds: nothing orders the two, line 8 of In\[1\], line 10 of In\[1\]\. Not all of `put`, In\[1\], was checked\.$/);
  assert.equal(page.cell(2).querySelectorAll(".live-ran a").filter(({ textContent }) => textContent === "In[1]").length, 3);
  assert.equal(page.cell(2).querySelector(".cell_output").textContent, "63");
});

test("what a stopped run found is not said of the next", async (t) => {
  let found = [{ kind: "found", text: "racecheck finds: a race, line 8 of In[1]." }];
  const page = await open(t, ["kernel", "launch"], { answers: () => [...found, { kind: "shown", text: "63" }] });
  page.editors[0].type("mine");
  page.held = [];
  await page.run(1);
  for (let each = 0; each < 2; each++) page.held.shift()(), await settled(); // which cells run; then In[1], with what was found
  page.press("Stop");
  await settled();
  found = [];
  page.held = null;
  await page.run(2);
  assert.match(page.below(2), /^Ran in /);
  assert.doesNotMatch(page.below(2), /racecheck/);
});

test("an error leads to the cells that it names, and says which the page does not show", async (t) => {
  const page = await open(t, ["hidden", "shown", "fails"], { hidden: [1], answers: ({ number }) => (number === 3 ? [{ kind: "failed", text: "line 2 of In[2]: Odd: In[1]:6: of In[77]" }] : []) });
  await page.run(3);
  const error = page.cell(3).querySelector(".live-error");
  assert.equal(error.textContent, "line 2 of In[2]: Odd: In[1]:6 (a cell that this page does not show): of In[77]");
  assert.deepEqual(error.querySelectorAll("a").map(({ textContent }) => textContent), ["In[2]"]);
});

test("a playground says that it runs, gets the newest of what is moved, and is drawn as Python says; its text stays in its editor", async (t) => {
  const drawn = [[3, '<div data-control="3" class="gpusim-editor"><textarea>page</textarea><p class="live-refused">SystemExit</p></div>'], [4, '<div data-control="4">drawn</div>']];
  let changes = [];
  const page = await open(t, ["play"], { answers: () => playground("kernel"), told: () => changes }), asked = () => page.document.querySelectorAll(".live-asked").length;
  await page.run(1);
  assert.equal(page.cell(1).querySelector("details.live-folded summary").textContent, "The cell that made it, In[1]");
  const [input] = page.cell(1).querySelectorAll("input"), move = (value) => page.document.fire("input", Object.assign(input, { type: "range", value }));
  page.held = [];
  move("6");
  assert.equal(asked(), 1);
  await settled();
  await page.release();
  assert.equal(asked(), 0);
  page.held = [];
  page.editors[1].type("k");
  assert.equal(asked(), 1);
  await settled();
  page.editors[1].type("ke");
  for (const value of ["7", "8"]) move(value);
  assert.equal(asked(), 1);
  changes = drawn;
  await settled();
  await page.release();
  assert.deepEqual(page.asked.filter(({ control }) => control).map(({ control, value }) => [control, value]), [[4, "6"], [3, "k"], [3, "ke"], [4, "8"]]);
  const [text, range] = [3, 4].map((number) => page.document.querySelector(`[data-control="${number}"]`));
  assert.deepEqual([text.querySelector(".cm-editor") === page.editors[1].view, text.textContent.endsWith("SystemExit"), range.textContent, asked()], [true, true, "drawn", 0]);
  changes = [[3, '<div data-control="3" class="gpusim-editor"><textarea>page</textarea></div>']];
  page.editors[1].type("kernel+");
  await settled();
  assert.equal(text.querySelector(".live-refused"), null);
  assert.equal(page.document.querySelector('[data-control="3"]'), text);
});

test("the bar says that a playground runs, and how that ended", async (t) => {
  const drawn = (alert) => [[5, `<div data-control="5">${alert}</div>`]];
  let changes = drawn('<pre role="alert">line 4: uses index 999\n    x[999]</pre>');
  const shows = (text) => [{ ...playground(text)[0], html: playground(text)[0].html.replace("</div></div>", '</div><div data-control="5"></div></div>') }];
  const page = await open(t, ["play"], { answers: () => shows("kernel"), told: () => changes }), type = async (text) => (page.editors[1].type(text), await settled());
  await page.run(1);
  await type("k");
  assert.equal(page.said, "In the playground, line 4: uses index 999");
  changes = drawn("");
  await type("ke");
  assert.match(page.said, /^The playground ran in \d+\.\d s: see its results\.$/);
  await page.run(1);
  page.held = [];
  await type("ker");
  assert.equal(page.said, "Running the playground …");
  await page.release();
  assert.match(page.said, /^The playground ran in/);
});

test("what is moved while a cell runs is told to Python when the run is over", async (t) => {
  const page = await open(t, ["play", "another"], { answers: ({ number, source }) => (number === 1 ? playground(source) : [{ kind: "shown", text: "new" }]) });
  await page.run(1);
  const [input] = page.cell(1).querySelectorAll("input");
  page.held = [];
  page.asked.length = 0;
  await page.run(2);
  page.document.fire("input", Object.assign(page.document.createElement("input"), { type: "range", value: "9" })); // the search's, say
  page.document.fire("input", Object.assign(input, { type: "range", value: "5" }));
  await page.release();
  assert.deepEqual(page.asked.map(({ number, control, value }) => [number ?? control, value]), [[2, undefined], [4, "5"]]);
});

test("the page's own kernel of a puzzle runs once for each Python, before the reader's", async (t) => {
  const page = await open(t, ["first", "setup", "kernel", "check", "solution"], { hidden: [2], puzzles: { 3: [2, 3, 4] } });
  page.editors[1].type("mine");
  await page.run(3);
  assert.deepEqual(page.asked.map(({ number, source }) => `${number} ${source}`), ["2 setup", "3 kernel", "4 check", "3 mine", "4 check"]);
  page.asked.length = 0;
  await page.run(3);
  assert.deepEqual(numbers(page), [3, 4]);
  page.held = [];
  await page.run(3);
  page.press("Stop");
  await settled();
  page.held = null;
  page.asked.length = 0;
  await page.run(3);
  assert.deepEqual(numbers(page), [2, 3, 4, 3, 4]);
});

test("what explains the page's answer is said of the page's kernel, where a reader's cell asks again", async (t) => {
  const asks = (solution) => `<div data-gpusim-view="prediction"><script type="application/json">{"id": "warps", "solution": "${solution}", "why": "so"}</script></div>`;
  const page = await open(t, ["ask"], { outputs: { 1: asks("7") }, answers: () => [{ kind: "shown", text: "", html: asks("2") }] });
  page.editors[0].type("mine");
  await page.run(1);
  assert.equal(JSON.parse(page.cell(1).querySelector(".cell_output script").textContent).why_of, "the page’s kernel");
});

test("what cannot run here leaves the page's result, also where the reader's own stood, and marks it", async (t) => {
  const elsewhere = [{ kind: "stream", text: "printed" }, { kind: "elsewhere", text: "no plots here" }];
  const page = await open(t, ["a"], { answers: ({ source }) => (source === "plot" ? elsewhere : [{ kind: "shown", text: "mine" }]) });
  const output = () => page.cell(1).querySelector(".cell_output");
  page.editors[0].type("first");
  await page.run(1);
  assert.equal(output().textContent, "mine");
  page.editors[0].type("plot");
  await page.run(1);
  assert.match(page.below(1), /In\[1\] still shows the page’s result, and says why\./);
  assert.deepEqual([output().textContent, output().dataset.of, page.cell(1).classList.contains("live-stale")], ["page's 1", "Of the page's text:", true]);
  assert.equal(page.cell(1).querySelector(".live-beside").textContent, "printed");
  page.press("Reset");
  assert.deepEqual([page.cell(1).classList.contains("live-stale"), page.cell(1).querySelector(".live-beside")], [false, null]);
});

test("the label above an old result says whose it is, also where the page's is shown in place of the reader's", async (t) => {
  const page = await open(t, ["a"], { outputs: { 1: "<p>1 sector</p>" }, answers: () => [{ kind: "shown", text: "2 sectors" }] }), of = () => page.cell(1).querySelector(".cell_output").dataset.of;
  page.editors[0].type("mine");
  await page.run(1);
  page.press("Show the page’s");
  page.editors[0].type("mine+");
  assert.equal(of(), "Of the page's text:");
  page.press("Back to yours");
  assert.equal(of(), "Of the run before:");
});

test("what is said of a run is of the texts that ran, whatever is typed meanwhile", async (t) => {
  const found = [{ kind: "found", text: "racecheck finds: a race, line 8 of In[1]." }, { kind: "shown", text: "2 sectors" }];
  const page = await open(t, ["a", "b", "c"], { outputs: { 2: "<p>1 sector</p>" }, answers: ({ checks }) => (checks ? found : [{ kind: "shown", text: "1 sector" }]) });
  page.editors[0].type("mine");
  page.held = [];
  await page.run(2);
  page.editors[0].type("a"); // the page's text again
  page.editors[1].type("typed meanwhile");
  await page.release();
  assert.match(page.below(2), /here: 1 → 2 sectors.* The cell has the page’s text: this comes from your change of In\[1\]\..* racecheck finds/);
});

test("a result that stands there again after the page's stood there is no result of before", async (t) => {
  const page = await open(t, ["a"]);
  for (const _ of [1, 2]) {
    page.editors[0].type("mine");
    await page.run(1);
    assert.doesNotMatch(page.below(1), /as it was before/);
    page.editors[0].type("a"); // the page's
  }
});

test("what was put aside goes along in the address, where the browser has no room", async (t) => {
  const stored = memory({ [A]: "mine" });
  stored.full = true;
  const page = await open(t, ["a"], { stored, hash: fragment({ [A]: "theirs" }) });
  assert.deepEqual(kept(page), ["mine"]);
  const again = await open(t, ["a"], { stored: Object.assign(memory(), { full: true }), hash: page.location.hash });
  assert.deepEqual([again.editors[0].text, kept(again)], ["theirs", ["mine"]]);
});

test("a control that nobody hears any more is not waited for", async (t) => {
  const page = await open(t, ["play"], { answers: () => playground("kernel") });
  await page.run(1);
  const [input] = page.cell(1).querySelectorAll("input");
  page.held = [];
  await page.run(1);
  page.press("Stop");
  await settled();
  page.document.fire("input", Object.assign(input, { type: "range", value: "6" }));
  assert.match(page.said, /the Python of its controls has ended/);
  assert.ok(page.cell(1).querySelector("details.live-folded").open, "its Run is in sight");
  assert.equal(page.document.querySelectorAll(".live-asked").length, 0);
});

test("below a cell nothing is said to run that was stopped", async (t) => {
  const page = await open(t, ["a", "b"]);
  page.held = [];
  await page.run(1);
  for (const below of [/^$/, /^Your cell has run\. Running what uses/]) { // which cells run; then In[1]
    page.held.shift()();
    await settled();
    assert.match(page.below(1), below);
  }
  page.press("Stop");
  await settled();
  assert.equal(page.below(1), "Stopped, while In[2] ran. In[1] ran to its end.");
});

/** The words of the button that resets all; none where it is not shown. */
const resets = ({ document }) => document.querySelectorAll(".live-bar button").filter(({ hidden, className }) => !hidden && className === "live-reset").map(({ textContent }) => textContent).join();

test("kept changes are said with their number before the click, and Reset forgets them until it is undone", async (t) => {
  const edits = { [A]: "mine", [B]: "mine, too", [`${B}, playground`]: "typed", [`${A}, own 1`]: "before" }, stored = memory(edits), page = await open(t, ["a", "b"], { stored, closed: true });
  assert.match(page.invited, /^This browser keeps your changes of In\[1\] and In\[2\]: “Run here” brings them back\. Change this page's kernels/);
  const waits = () => page.document.querySelectorAll(".live-waits").map(({ parentElement }) => parentElement.className);
  assert.deepEqual(waits(), ["cell live-cell-1", "cell live-cell-2"]);
  assert.equal(resets(page), "Reset all (2)");
  page.press("Reset all (2)");
  assert.deepEqual([stored.edits, resets(page), waits()], [{ [`${A}, own 1`]: "before" }, "Undo", []]);
  assert.equal(page.said, "Your changes of this page are forgotten.");
  page.press("Undo");
  assert.deepEqual([stored.edits, resets(page)], [edits, "Reset all (2)"]);
  assert.match(page.said, /^This browser keeps your changes of In\[1\] and In\[2\]/);
  await page.begin();
  assert.deepEqual(waits(), []);
  assert.deepEqual([page.editors.map(({ text }) => text), resets(page)], [["mine", "mine, too"], "Reset all (2)"]);
  const brings = await open(t, ["a"], { stored: memory({ [A]: "mine" }), closed: true });
  brings.document.querySelector(".live-waits button").focus();
  await brings.begin("Bring it");
  assert.deepEqual([brings.editors[0].text, brings.document.activeElement === brings.cell(1)], ["mine", true]);
  const one = await open(t, ["a"], { stored: memory({ [A]: "mine" }), closed: true, hash: fragment({ [A]: "theirs" }) });
  assert.match(one.invited, /^This link carries somebody's change of In\[1\]\. This browser keeps your change of In\[1\]: “Run here” brings it back\. /);
  assert.deepEqual(one.document.querySelector(".live-said").querySelectorAll("a").map(({ textContent }) => textContent), ["In[1]", "In[1]"]);
  const gone = await open(t, ["a"], { closed: true, hash: fragment({ [A]: "theirs", [nameOf(77)]: "x", [nameOf(78)]: "y" }) });
  assert.match(gone.invited, /^This link carries somebody's change of In\[1\] and 2 cells that this page does not have\. Change/);
  assert.equal(resets(await open(t, ["a"], { closed: true })), "");
});

test("Reset all brings back the page's texts and results, and what was typed into playgrounds; Undo the reader's", async (t) => {
  const page = await open(t, ["a", "b"], { answers: ({ number, source }) => (number === 1 ? playground(source) : [{ kind: "shown", text: "new" }]) });
  assert.equal(resets(page), "");
  page.editors[0].type("mine");
  page.editors[1].type("mine, too");
  await page.run(2);
  page.editors[2].type("typed");
  const { edits } = page.stored;
  assert.equal(Object.keys(edits).length, 3);
  assert.equal(resets(page), "Reset all (2)");
  page.press("Reset all (2)");
  assert.deepEqual([page.stored.edits, page.editors.slice(0, 2).map(({ text }) => text), page.cell(2).querySelector(".cell_output").textContent], [{}, ["a", "b"], "page's 2"]);
  assert.deepEqual([page.said, resets(page)], ["All cells have the page's text again.", "Undo"]);
  page.press("Undo");
  assert.deepEqual([page.stored.edits, page.said, resets(page)], [edits, "Your changes are back, not run yet.", "Reset all (2)"]);
  await page.run(1);
  assert.equal(page.editors.at(-1).text, "typed");
  page.press("Reset all (2)");
  page.editors[0].type("another");
  assert.equal(resets(page), "Reset all (1)");
});

test("what another tab changes is said in its cell, can be taken, and is put aside when the reader goes on with another text", async (t) => {
  const page = await open(t, ["a", "b"]), other = (number) => page.cell(number).querySelector(".live-other")?.textContent ?? "";
  page.editors[0].type("mine");
  await page.another({ [A]: "theirs", [B]: "their b" });
  assert.match(other(1), /^Another tab of this page has another text of this cell, which is kept/);
  assert.deepEqual([page.editors[0].text, page.stored.edits[A]], ["mine", "theirs"]); // nobody's text is overwritten yet
  page.press("Take that text", page.cell(2));
  assert.deepEqual([page.editors[1].text, other(2), kept(page)], ["their b", "", []]);
  page.editors[0].type("mine+");
  assert.deepEqual([page.stored.edits, kept(page), other(1)], [{ [A]: "mine+", [B]: "their b", [`${A}, own 1`]: "theirs" }, ["theirs"], ""]);
  page.editors[0].type("mine++");
  assert.deepEqual(kept(page), ["theirs"]);
  await page.another({ [A]: "mine++", [`${A}, own 1`]: "theirs" });
  assert.deepEqual([other(1), other(2).length > 0], ["", true]); // there the other tab brought the page's text back
  page.press("Take that text", page.cell(2));
  assert.deepEqual([page.editors[1].text, page.stored.edits], ["b", { [A]: "mine++", [`${A}, own 1`]: "theirs" }]);
  await page.another({ [A]: "theirs", [`${A}, own 1`]: "theirs" });
  await page.another({ [A]: "mine++" });
  assert.deepEqual([other(1), kept(page)], ["", []]);
  await page.another({ [A]: "theirs again" });
  page.press("Reset", page.cell(1));
  assert.deepEqual([page.stored.edits, kept(page)], [{ [`${A}, own 1`]: "theirs again" }, ["theirs again"]]);
});

test("a text that stands in no cell says of which cell it was, when it was written, and in which tab", async (t) => {
  const stored = memory(), page = await open(t, ["a"], { stored, answers: ({ source }) => playground(source) });
  page.editors[0].type("mine");
  await page.run(1);
  page.editors.at(-1).type("typed");
  await page.go(fragment({ [A]: "theirs", [nameOf(77)]: "gone" }));
  const about = () => page.document.querySelectorAll(".live-about").map(({ textContent }) => textContent.replace(/\d+ \w+ \d{4}, \d+:\d+/, "WHEN"));
  const expected = ["A cell that this page does not have", "In[1]", "In[1], its playground"].map((what) => `${what}, WHEN, in this tab`);
  assert.deepEqual(about().sort(), expected);
  const later = await open(t, ["a"], { stored });
  assert.match(later.document.querySelector(".live-about").textContent, /, in another tab, or on an earlier visit$/);
});

/** The keyboard stands there. */
const isAt = (page, element) => page.document.activeElement === element;

test("who runs a page by the keyboard keeps her place", async (t) => {
  const page = await open(t, ["a", "gpusim.playground(kernel)"], { closed: true, answers: ({ number, source }) => (number === 2 ? playground(source) : [{ kind: "shown", text: "new" }]) });
  const bar = page.document.querySelector(".live-bar"), button = (words, within = page.document) => within.querySelectorAll("button").find((each) => each.textContent === words && !each.hidden);
  button("Run here").focus();
  await page.begin();
  assert.ok(isAt(page, bar), "not where nothing is seen any more");
  page.held = [];
  await page.run(1);
  button("Stop").focus();
  await page.release();
  assert.ok(isAt(page, bar), "Stop is there no more");
  page.editors[0].type("mine");
  button("Reset", page.cell(1)).focus();
  page.press("Reset", page.cell(1));
  assert.ok(isAt(page, button("Run", page.cell(1))));
  await page.another({ [A]: "theirs" });
  button("Take that text").focus();
  page.press("Take that text");
  assert.ok(isAt(page, button("Run", page.cell(1))));
});

test("the cell that makes a playground is folded, unless the reader has changed it", async (t) => {
  const page = await open(t, ["a", "b"], { answers: ({ source }) => playground(source) }), run = page.cell(1).querySelector("button");
  page.editors[0].type("mine");
  run.focus();
  await page.run(1);
  const [mine, theirs] = [1, 2].map((number) => page.cell(number).querySelector("details.live-folded"));
  assert.deepEqual([mine.open, theirs.open, isAt(page, run)], [true, false, true]);
  page.press("Reset", page.cell(1));
  assert.equal(page.cell(1).querySelector("details.live-folded"), null);
  page.cell(1).querySelector("button").focus();
  await page.run(1);
  assert.ok(isAt(page, page.cell(1).querySelector("details.live-folded summary")));
});

test("a page that is not open yet says what another tab keeps by now, and what a playground's other text is counts, too", async (t) => {
  const closed = await open(t, ["a"], { closed: true });
  await closed.another({ [A]: "theirs" });
  assert.match(closed.said, /^This browser keeps your change of In\[1\]: /);
  const page = await open(t, ["a"], { answers: ({ source }) => playground(source) });
  await page.run(1);
  await page.another({ [`${A}, playground`]: "typed there" });
  page.press("Take that text", page.cell(1));
  await page.run(1);
  assert.equal(page.editors.at(-1).text, "typed there");
});

/** A puzzle's reply with these counters. */
const reply = (said, ...rows) => `<div class="puzzle-reply puzzle-${said === "Solved." ? "solved" : "unsolved"}"><p>${said}</p><table><tr><th></th><th>first kernel</th><th>this kernel</th></tr>${rows.map((row) => `<tr>${row.map((cell) => `<td> ${cell} </td>`).join("")}</tr>`).join("")}</table><div data-gpusim-view="sector_view"><pre>64 requests</pre><table><tr><td>seen</td></tr></table></div></div>`;

test("of a puzzle's reply the counters are compared, and of tables the cells with their rows and columns", async (t) => {
  const table = (count) => `<table><tr><th>kernel</th><th>sectors</th></tr><tr><td>rows</td><td>${count}</td></tr></table>`, outputs = { 1: `<div>${table(4)}</div>`, 4: `<div>${reply("Not yet. 8 sectors", ["sectors", "8", "8"], ["waits", "2", "2"])}</div>` };
  const page = await open(t, ["first", "setup", "kernel", "check", "solution"], { hidden: [2], puzzles: { 3: [2, 3, 4] }, outputs, answers: ({ number, source }) => source === "broken" ? [{ kind: "failed", text: "line 1: SyntaxError" }] : [{ kind: "shown", text: "", html: number === 1 ? table(32) : number === 4 ? reply("Solved.", ["sectors", "8", "4"], ["waits", "2", "2"]) : "" }] });
  page.editors[0].type("mine");
  await page.run(1);
  assert.match(page.below(1), / The page → yours, here: rows, sectors: 4 → 32\. /);
  page.editors[1].type("mine");
  await page.run(3);
  assert.match(page.below(3), /^Solved: see the reply\. Ran in .* s\.$/); // which has the counters
  const [reply_, was] = page.cell(4).children.filter(({ className }) => /cell_output|live-was/.test(className));
  assert.deepEqual([reply_.className, was.textContent], ["cell_output", "Your result. Show the page’s"]); // the verdict comes first
  page.editors[1].type("broken");
  await page.run(3);
  const { dataset, textContent } = page.cell(4).querySelector(".cell_output");
  assert.match(textContent, /^Not yet\. 8 sectors/); // no reply to the kernel before stands beside an error
  assert.deepEqual([dataset.of, page.cell(4).classList.contains("live-stale")], ["Of the page's text:", true]);
});

test("a picture is compared, and where there is nothing to bring back, or to be found out, no button offers it", async (t) => {
  const asks = (solution) => `<div data-gpusim-view="prediction"><script type="application/json">{"solution": "${solution}"}</script></div>`, picture = (colour) => `<p><svg data-head="${colour}"></svg></p>`;
  const outputs = { 1: picture("red"), 2: `<div>${asks(4)}</div>` }, html = [picture("blue"), asks(8)];
  const page = await open(t, ["a", "b"], { outputs, answers: ({ number }) => [{ kind: "shown", text: "", html: html[number - 1] }] });
  page.editors[0].type("mine");
  await page.run(1);
  const said = (number) => page.cell(number).querySelectorAll(".live-was").map((line) => [line.childNodes[0], line.querySelectorAll("button").length])[0];
  assert.deepEqual([said(1), said(2)], [["Your result.", 1], ["With your kernel, this question has another answer.", 0]]);
  assert.match(page.below(1), /here: the picture\. The question of .*In\[2\].* has another answer with your kernel\./);
});

test("a result where the page has none is new, and Reset takes it away", async (t) => {
  const page = await open(t, ["a"], { outputs: { 1: null } });
  page.editors[0].type("mine");
  await page.run(1);
  assert.deepEqual(page.cell(1).querySelectorAll(".live-was").map((line) => [line.childNodes[0], line.querySelectorAll("button").length]), [["Your result: the page has none here.", 0]]);
  page.press("Reset", page.cell(1));
  assert.equal(page.cell(1).querySelector(".cell_output"), null);
});

test("an error of a cell above is told beside what stands there, and its text has run; a link goes to it, opens what is folded and has the keyboard", async (t) => {
  const page = await open(t, ["a", "b"], { answers: ({ source }) => (source === "broken" ? [{ kind: "failed", text: "line 1 of In[1]: NameError" }] : [{ kind: "shown", text: "new" }]) });
  page.editors[0].type("broken");
  assert.equal(page.cell(1).querySelector(".live-due").textContent, "Your change, not run yet");
  for (let turn = 0; turn < 2; turn++) await page.run(2);
  assert.deepEqual([1, 2].map((number) => page.cell(number).querySelectorAll(".live-error").length), [1, 1]);
  assert.equal(page.cell(1).querySelector(".live-due").textContent, "");
  assert.equal(page.cell(1).querySelector(".cell_output").textContent, "page's 1");
  const folded = page.document.createElement("details"), [link] = page.cell(2).querySelectorAll(".live-error a"), scrolled = [], prevented = [];
  const cell = Object.assign(page.cell(1), { scrollIntoView: () => scrolled.push(1) });
  cell.replaceWith(folded);
  folded.append(cell);
  link.onclick({ preventDefault: () => prevented.push(1) });
  assert.deepEqual([folded.open, scrolled, prevented, page.document.activeElement === cell], [true, [1], [1], true]);
});

test("a cell that was reset and stands below one that fails has not run, which is said", async (t) => {
  const page = await open(t, ["a", "b"], { answers: ({ source }) => (source === "broken" ? [{ kind: "failed", text: "line 1 of In[1]: NameError" }] : [{ kind: "shown", text: "new" }]) });
  page.editors[1].type("mine");
  await page.run(2);
  page.editors[0].type("broken");
  page.editors[1].type("b");
  await page.run(2);
  assert.match(page.below(2), /^Not run: In\[1\] above ends with this error\./);
  assert.equal(page.said, "In[1] ends with an error: see below In[2].");
});

test("while the page's own stands in place of the reader's, a playground is drawn on, and it ends with its Python", async (t) => {
  const page = await open(t, ["play", "setup", "kernel", "check", "solution"], { hidden: [2], puzzles: { 3: [2, 3, 4] }, outputs: { 1: "<p>1 sector</p>" }, answers: ({ number }) => (number === 1 ? playground("kernel") : [{ kind: "shown", text: "7" }]), told: () => [[4, '<div data-control="4"><input type="range">drawn</div>']] });
  page.editors[0].type("mine");
  await page.run(1);
  const seen = () => page.cell(1).querySelector(".cell_output").children.filter(({ hidden }) => !hidden).map(({ textContent }) => textContent).join("|");
  page.held = [];
  page.document.fire("input", Object.assign(page.cell(1).querySelector("input"), { type: "range", value: "6" }));
  await settled();
  page.press("Show the page’s");
  assert.equal(seen(), "1 sector");
  await page.release();
  page.press("Back to yours");
  assert.match(seen(), /drawn/);
  page.press("Show the page’s");
  page.held = [];
  await page.run(3);
  page.press("Stop");
  await settled();
  page.held = null;
  await page.run(3); // a new Python, which has not run In[1]
  page.press("Back to yours");
  assert.equal(page.cell(1).querySelector("[data-control]"), null);
});

test("what waits while another cell breaks has not run, and that is said; after Stop no playground says that it runs", async (t) => {
  const page = await open(t, ["prepare", "a", "setup", "kernel", "check", "solution"], { hidden: [1, 3], puzzles: { 4: [3, 4, 5] }, answers: ({ number }) => (number === 1 ? [{ kind: "failed", text: "MemoryError" }] : playground("7")) });
  await page.run(4);
  page.held = [];
  await page.run(2);
  await page.run(4);
  await page.release();
  assert.equal(page.said, "In[1], which prepares the page, ends with MemoryError. In[4], which was to run next, has not run.");
  page.held = [];
  await page.run(4);
  page.document.fire("input", Object.assign(page.cell(5).querySelector("input"), { type: "range", value: "6" }));
  page.press("Stop");
  await settled();
  assert.equal(page.document.querySelectorAll(".live-asked").length, 0);
});

test("an error of the page's own scripts is said as one, and stands in the console", async (t) => {
  const page = await open(t, ["a"], { answers: () => playground("kernel"), told: () => 7 }), seen = t.mock.method(console, "error", () => {});
  await page.run(1);
  page.editors[1].type("k");
  await settled();
  assert.match(page.said, /^This page broke: TypeError: .*\. Your changes stay: reload the page\.$/);
  assert.equal(seen.mock.callCount(), 1);
});

test("a box to tick tells whether it is, a number what it is once it is written, and a slider shows its number", async (t) => {
  const page = await open(t, ["play"], { answers: () => playground("kernel") });
  await page.run(1);
  const [input] = page.cell(1).querySelectorAll("input"), output = page.document.createElement("output");
  input.after(output);
  const move = async (kind, more) => (page.document.fire(kind, Object.assign(input, more)), await settled());
  await move("input", { type: "checkbox", checked: true, value: "on" });
  await move("input", { type: "number", value: "12" });
  await move("change", { type: "number", value: "128" });
  await move("input", { type: "range", value: "5" });
  assert.deepEqual(page.asked.filter(({ control }) => control).map(({ value }) => value), ["true", "128", "5"]);
  assert.equal(output.textContent, "5");
});

test("what is hidden waits for the first question without an answer", () => {
  const question = (id, hidden) => `<div data-prediction="${id}"><button class="check${hidden ? " off" : ""}"></button></div>`;
  globalThis.document = newDocument(`${question("one", true)}${question("two")}<div class="revealed" data-revealed-by="one two"><div class="revealed" data-revealed-by="one"><p>hidden</p></div></div><div class="revealed" data-revealed-by="two" data-open=""><i>seen</i></div><b>seen</b>`);
  document.querySelector(".off").setAttribute("hidden", "");
  assert.equal(questionOf(document.querySelector("p")).dataset.prediction, "two");
  assert.deepEqual([questionOf(document.querySelector("i")), questionOf(document.querySelector("b"))], [null, null]);
});

test("where there are controls once a cell has run, the bar says which", async (t) => {
  const page = await open(t, ["a", "gpusim.playground(kernel, x=1)"]);
  assert.equal(page.said, "Ready. Press Run below In[2]: its controls appear.");
});

test("a cell that is too long for a link is said to be", async (t) => {
  const page = await open(t, ["a"]);
  page.editors[0].type("x".repeat(400_000));
  page.press("Copy a link to it");
  await settled();
  assert.match(page.said, /^This is too much for a link: select the cell's text, and copy it\.$/);
});

test("what a view in a playground is asked is nothing to Python", async (t) => {
  const view = '<div data-gpusim-view="sector_view"><input class="of-view" type="range"></div>';
  const shown = { kind: "shown", text: "", html: `<div data-control="3"><input type="range">${view}</div>` };
  const page = await open(t, ["a"], { answers: () => [shown] });
  await page.run(1);
  const [own, views] = page.document.querySelectorAll("input");
  for (const input of [views, own]) page.document.fire("input", input);
  await settled();
  assert.deepEqual(page.asked.map(({ control }) => control).filter(Boolean), [3]);
});

test("a page that breaks while it opens makes no cell's editor twice", async (t) => {
  const page = await open(t, ["a", "b"], { closed: true }), make = globalThis.gpusimEditor;
  globalThis.gpusimEditor = (how) => {
    if (page.editors.length) throw new Error("broken");
    return make(how);
  };
  await page.begin();
  assert.match(page.said, /broken.* Reload the page/);
  globalThis.gpusimEditor = make;
  const again = page.document.querySelectorAll("button").find(({ textContent, hidden }) => textContent === "Run here" && !hidden);
  again?.onclick();
  await settled();
  assert.equal(page.editors.length, 1);
});

test("two presses open a page once", async (t) => {
  const page = await open(t, ["a", "b"], { closed: true }), [button] = page.document.querySelectorAll("button").filter(({ textContent }) => textContent === "Run here");
  const opens = page.begin();
  button.onclick();
  await opens;
  assert.equal(page.editors.length, 2);
});

test("a change leaves what else stands in the address", async (t) => {
  const page = await open(t, ["a"], { hash: "#section" });
  page.editors[0].type("b");
  assert.equal(page.location.hash, "#section");
});
