// What do the parts of a live page remember, and when do they forget it? Each alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { handOn, keepFocus } from "../../book/live/page/focus.js";
import { Marks } from "../../book/live/page/marks.js";
import { Stopped } from "../../book/live/page/python.js";
import { Turns } from "../../book/live/page/turns.js";
import { Unrun } from "../../book/live/page/unrun.js";
import { Waiting } from "../../book/live/page/waiting.js";
import { newDocument } from "./dom.mjs";

test("a cell that was stopped is so no more once it came to an end", () => {
  const cell = { number: 1, editable: true }, unrun = new Unrun((each) => [each], (words) => [words]);
  unrun.stopped(cell, { 1: "a" });
  assert.deepEqual([unrun.isStopped(cell, { 1: "a" }), unrun.isStopped(cell, { 1: "b" })], [true, false]);
  unrun.ended(cell);
  assert.equal(unrun.isStopped(cell, { 1: "a" }), false);
});

test("what a run left as it was says why, until the next run", () => {
  const told = [], cell = { element: {}, tell: (...words) => told.push(words.join("")) }, unrun = new Unrun(() => [], (words) => [words]);
  unrun.say([cell, { element: null }], "Python ended.");
  unrun.clear();
  unrun.clear();
  assert.deepEqual(told, ["Not run: Python ended.", ""]);
});

test("a result that stayed the page's is the reader's once a run has put another there", () => {
  const marked = [], cell = { number: 1, text: "b", source: "a", element: {}, stale: (old) => marked.push(old), putBack: () => marked.push("page") };
  const marks = new Marks({ 1: cell }, (number) => [number]);
  const made = (stays) => (marks.made(1, { 1: "b" }, stays), marks.renew());
  made(true); // what stands there is of the page's text
  made(false);
  made(true);
  cell.text = "a";
  marks.renew(true);
  cell.text = "b";
  marks.made(1, { 1: "b" });
  marks.renew();
  assert.deepEqual(marked, [true, false, true, "page", false]);
});

/** Turns of a Python that `asks` are put to; what it is told of controls. */
function turns(work = async () => {}, page = "") {
  globalThis.document = newDocument(page);
  const told = [], python = { runs: true, ready: Promise.resolve(), begin: async () => (python.runs = true), end: () => (python.runs = false), ask: async ({ told: each }) => (told.push(each), []) };
  const panel = { say() {}, failed() {}, working() {} };
  return { told, python, turns: new Turns(python, panel, { work, forget() {}, over() {} }) };
}

test("a control that was moved while Python was stopped is told to no other Python", async () => {
  const { told, python, turns: own } = turns(async () => {
    own.tell(3, "5");
    python.runs = false;
    throw new Stopped();
  });
  await own.run({ waits() {} });
  assert.deepEqual(told, []);
  own.work = async () => {};
  await own.run({ waits() {} });
  assert.deepEqual(told, []);
});

test("a control that was moved before a new Python began in the same turn is told to it as little", async () => {
  const { told, turns: own } = turns(async () => {
    own.tell(3, "5");
    await own.anew();
  });
  await own.run({ waits() {} });
  assert.deepEqual(told, []);
});

test("what a playground shows is of the run before as long as a moved control waits for its turn", async () => {
  const marked = () => document.querySelectorAll(".live-asked").length, { python, turns: own } = turns(async () => own.tell(3, "5"), '<div class="live-asked"></div>'), seen = [];
  python.ask = async () => (seen.push(marked()), []);
  await own.run({ waits() {} });
  assert.deepEqual([seen, marked()], [[1], 0]);
});

test("what has the keyboard keeps it when it moves, and hands it on when it goes", () => {
  const document = globalThis.document = newDocument('<div class="gone"><p class="in">a</p></div><p class="first">b</p><p class="next">c</p>');
  const [gone, within, first, next] = [".gone", ".in", ".first", ".next"].map((each) => document.querySelector(each));
  within.focus();
  keepFocus(() => (document.activeElement = document.body)); // as a browser does where an element moves
  assert.equal(document.activeElement, within);
  gone.contains = (element) => element === within;
  handOn(gone, null, first, next);
  assert.equal(document.activeElement, first);
  handOn(gone, next); // which has no keyboard to hand on
  assert.equal(document.activeElement, first);
});

test("cells that wait for the page to open are named in its order", () => {
  globalThis.document = newDocument('<div class="live-cell-5"></div><div class="live-cell-7"></div>');
  Object.assign(globalThis, { location: { href: "https://course.example/" } });
  const waiting = new Waiting({ late: [12, 7], early: [9, 5] }, () => {});
  const said = waiting.mark({ late: "x", early: "y", gone: "z" }, "Yours.");
  assert.equal(said.map((each) => each.textContent ?? each).join(""), "In[9], In[12] and a cell that this page does not have");
  waiting.clear();
  assert.equal(document.querySelectorAll(".live-waits").length, 0);
});
