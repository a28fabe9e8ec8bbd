// What a live page decides without a browser: whose a change is, what a link carries, which cells run, what is loaded.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Cell } from "../../book/live/page/cells.js";
import { joined, Kept, parted } from "../../book/live/page/edits.js";
import { BROKEN, brought, linkOf } from "../../book/live/page/links.js";
import { Order, withoutPuzzles } from "../../book/live/page/order.js";

const PAGE = "/book/divergence.html";

function storage(texts = {}) {
  return { getItem: (key) => texts[key] ?? null, setItem: (key, text) => void (texts[key] = text) };
}

test("two tabs keep each other's changes, and a change without a text is forgotten", () => {
  const shared = storage(), [one, other] = [new Kept(() => shared, PAGE), new Kept(() => shared, PAGE)];
  assert.ok(one.put({ a: "x = 1" }));
  assert.ok(other.put({ b: "y = 2" }));
  assert.deepEqual(one.all(), { a: "x = 1", b: "y = 2" });
  one.put({ a: undefined });
  assert.deepEqual(other.all(), { b: "y = 2" });
  assert.deepEqual(new Kept(() => shared, "/book/another.html").all(), {});
});

test("a page without a memory, or with another's text in it, has no changes and says that it keeps none", () => {
  const refused = new Kept(() => { throw new Error("SecurityError"); }, PAGE);
  assert.deepEqual(refused.all(), {});
  assert.equal(refused.put({ a: "x" }), false);
  for (const text of ["{", "null", "7", '["x"]', '{"a": 5, "b": ["x"]}'])
    assert.deepEqual(new Kept(() => storage({ [`gpusim edits ${PAGE}`]: text }), PAGE).all(), {});
});

test("a change goes with its cell's text, wherever that stands, and waits where the text is another one", () => {
  const edits = { first: "mine", second: "mine, too", 7: "of an edition that counted cells" };
  const { fit, apart } = parted(edits, new Map([["inserted"], ["first"]]));
  assert.deepEqual(fit, { first: "mine" });
  assert.deepEqual(apart, { second: "mine, too", 7: "of an edition that counted cells" });
});

test("a link's change is taken, and the reader's own of that cell is put aside, however often", () => {
  let all = joined({ a: "mine", b: "same" }, { a: "theirs", b: "same", c: "new" });
  assert.deepEqual(all, { a: "theirs", b: "same", c: "new", "a, own 1": "mine" });
  all = joined(all, { a: "another's" });
  assert.deepEqual([all["a, own 1"], all["a, own 2"], all.a], ["mine", "theirs", "another's"]);
  assert.deepEqual(Object.keys(parted(all, new Map([["a"], ["b"], ["c"]])).apart), ["a, own 1", "a, own 2"]);
});

test("a link brings back what it was made of, in any letters, and replaces what the address carried", () => {
  const edits = { "0123456789ab": "x = 'größer → 128'\n", "0123456789ab-2": "y" };
  const link = linkOf(`https://course.example${PAGE}#section`, edits);
  assert.match(link, /^https:\/\/course\.example\/book\/divergence\.html#edit=[\w-]+$/);
  assert.deepEqual(brought(new URL(link).hash), edits);
});

test("a fragment of another kind brings nothing, and one that is cut off says so", () => {
  const whole = new URL(linkOf("https://course.example/", { "0123456789ab": "x = 1", "0123456789cd": "y = 2" })).hash;
  for (const other of ["", "#section", "#editor"]) assert.deepEqual(brought(other), {});
  const nothing = ["5", "[1]", "null", '{"a": 5}', "{}", ...['"toString"', '"__proto__"', '"7"', '"0123456789ab, own 1"'].map((name) => `{${name}: "x"}`)].map((text) => `#edit=${btoa(text)}`);
  for (const broken of ["#edit=", "#edit=%%%", whole.slice(0, -9), `${whole}!`, ...nothing]) assert.throws(() => brought(broken), { message: BROKEN });
});

test("names that every object has are none of a reader's changes", () => {
  const invented = JSON.parse('{"toString": "x", "constructor": "y", "__proto__": "z"}');
  assert.deepEqual(Object.entries(joined({}, invented)).filter(([name]) => name.includes("own")), []);
  const link = `#edit=${btoa('{"toString": "x", "__proto__": "z", "0123456789ab": "mine"}')}`;
  assert.deepEqual(Object.entries(brought(link)), [["0123456789ab", "mine"]]);
});

const NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8];

test("the four cells of a puzzle are run by nobody else", () => {
  assert.deepEqual(withoutPuzzles(NUMBERS, { 4: [3, 4, 5] }), [1, 2, 7, 8]);
  assert.deepEqual(withoutPuzzles([1, 2, 3], { 2: [1, 2, 3] }), []); // no solution
});

test("what has run with its text of now is not run again; from the first other one all are", () => {
  const texts = Object.fromEntries(NUMBERS.map((number) => [number, `cell ${number}`]));
  const order = new Order([1, 2, 3, 5, 8], (number) => texts[number]);
  const run = (number, last) => {
    const due = order.due(number, last);
    due.forEach((each) => order.ended(texts[each]));
    return due;
  };
  assert.deepEqual(run(2, 3), [1, 2, 3]); // those before it, itself, and its section
  assert.deepEqual(run(3, 5), [3, 5]); // asked for, it runs again
  texts[2] = "changed";
  assert.deepEqual(run(8, 8), [2, 3, 5, 8]);
  assert.deepEqual(run(8, 8), [8]);
  assert.deepEqual(run(1, 1), [1]);
  assert.deepEqual(run(5, 5), [2, 3, 5]); // what stood behind the first was forgotten
  order.forget();
  assert.deepEqual(run(3, 3), [1, 2, 3]);
});

test("a run that ended early goes on where it was", () => {
  const order = new Order([1, 2, 3, 4], (number) => `cell ${number}`);
  order.due(2, 4);
  order.ended("cell 1");
  order.ended("cell 2");
  assert.deepEqual(order.due(4, 4), [3, 4]);
});

test("a cell that failed runs again, with all that come after it, and so does one that was changed while it ran", () => {
  const order = new Order([1, 2, 3, 4], (number) => `cell ${number}`);
  order.due(3, 3);
  order.ended("cell 1");
  order.ended("cell 2", true);
  order.ended("cell 3");
  assert.deepEqual(order.due(4, 4), [2, 3, 4]);
  for (const text of ["cell 2", "cell 3, as it was", "cell 4"]) order.ended(text);
  assert.deepEqual(order.due(4, 4), [3, 4]);
});

/** A page of one element that has inputs, outputs, both or none: what a cell that runs elsewhere says, and where. */
function saidElsewhere(parts, source) {
  const made = () => ({ said: [], append(...more) { this.said.push(...more.map((each) => each.said?.[0] ?? each)); } });
  const within = Object.fromEntries(parts.map((part) => [part, made()]));
  globalThis.document = { createElement: made, querySelector: () => ({ querySelector: (part) => within[part] ?? null }) };
  const cell = new Cell(3, { name: "ab12", place: 5, source, elsewhere: true, editor: false });
  cell.edit({});
  delete globalThis.document;
  assert.equal(cell.editable, false);
  return parts.map((part) => within[part].said.join());
}

test("a cell that runs elsewhere says so where its editor would be, or below its output, and has none", () => {
  const [said] = saidElsewhere([".cell_input"], "%%cuda\n");
  assert.match(said, /^CUDA C\+\+ runs in JupyterLab/);
  const [input, output] = saidElsewhere([".cell_input", ".cell_output"], "fill[1, 1]()");
  assert.match(input, /needs one of CUDA C\+\+.* run in JupyterLab/);
  assert.equal(output, "");
  assert.match(saidElsewhere([".cell_output"], "fill[1, 1]()")[0], /run in JupyterLab/);
  assert.deepEqual(saidElsewhere([], "fill[1, 1]()"), []);
});
