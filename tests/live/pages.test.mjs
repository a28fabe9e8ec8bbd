// What a live page decides without a browser: whose a change is, what a link carries, which cells run, what is loaded.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ofThePage } from "../../book/live/page/answers.js";
import { Cell } from "../../book/live/page/cells.js";
import { apartOf, cellOf, joined, Kept } from "../../book/live/page/edits.js";
import { Found } from "../../book/live/page/found.js";
import { BROKEN, brought, linkOf } from "../../book/live/page/links.js";
import { Order } from "../../book/live/page/order.js";
import { questionOf, whereabouts } from "../../book/live/page/places.js";
import { newDocument } from "./dom.mjs";

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
  for (const text of ["{", "null", "7", '"x"', '["x"]', '{"a": 5, "b": ["x"]}'])
    assert.deepEqual(new Kept(() => storage({ [`gpusim edits ${PAGE}`]: text }), PAGE).all(), {});
});

test("what a full storage does not take is there as long as the page is open, and is put there when there is room", () => {
  const shared = storage(), full = { ...shared, setItem: () => { throw new Error("QuotaExceededError"); } };
  let now = shared;
  const tab = new Kept(() => now, PAGE);
  tab.put({ a: "x = 1", b: "y = 2" });
  now = full;
  assert.equal(tab.put({ a: "x = 1", b: undefined, c: "z = 3" }), false);
  assert.deepEqual([tab.all(), tab.unkept], [{ a: "x = 1", c: "z = 3" }, { c: "z = 3" }]);
  now = shared;
  assert.ok(tab.put({ d: "w = 4" }));
  assert.deepEqual([new Kept(() => shared, PAGE).all(), tab.unkept], [{ a: "x = 1", c: "z = 3", d: "w = 4" }, {}]);
  new Kept(() => shared, PAGE).put({ c: undefined }); // another tab
  assert.deepEqual(tab.all(), { a: "x = 1", d: "w = 4" });
});

test("a storage that keeps a text, and has no room for when it was written, has kept it", () => {
  const shared = storage(), small = { ...shared, setItem: (name, text) => (name.endsWith(" written") ? assert.fail("QuotaExceededError") : shared.setItem(name, text)) };
  const kept = new Kept(() => small, PAGE);
  assert.equal(kept.put({ a: "x = 1" }), true);
  assert.deepEqual([kept.all(), kept.written()], [{ a: "x = 1" }, {}]);
});

test("of a text it is kept when it was written, and in which tab, under whichever name it stands", (t) => {
  let now = 1000;
  t.mock.method(Date, "now", () => now++);
  const shared = storage(), [one, other] = ["one", "other"].map((tab) => new Kept(() => shared, PAGE, tab));
  one.put({ a: "mine", b: "too" });
  other.put({ a: "theirs", "a, own 1": "mine", b: "too" });
  assert.deepEqual(one.written(), { a: { at: 1001, tab: "other" }, "a, own 1": { at: 1000, tab: "one" }, b: { at: 1000, tab: "one" } });
  one.put({ a: undefined, b: undefined });
  assert.deepEqual(Object.keys(other.written()), ["a, own 1"]);
  const odd = new Kept(() => storage({ [`gpusim edits ${PAGE} written`]: "7" }), PAGE), none = new Kept(() => null, PAGE);
  assert.deepEqual([odd.written().a, none.written()], [undefined, {}]);
});

test("a change goes with its cell's text, wherever that stands, and waits where the text is another one", () => {
  const edits = { first: "mine", second: "mine, too", 7: "of an edition that counted cells" };
  assert.deepEqual(apartOf(edits, ["inserted", "first"]), { second: "mine, too", 7: "of an edition that counted cells" });
});

test("what was typed into a cell's playgrounds belongs to the cell", () => {
  const cell = Object.create(Cell.prototype, { name: { value: "ab12-2" } });
  assert.deepEqual([0, 1].map((place) => cell.playground(place)), ["ab12-2, playground", "ab12-2, playground 2"]);
  for (const name of ["ab12-2", cell.playground(0), cell.playground(11)]) assert.equal(cellOf(name), "ab12-2");
  assert.equal(cellOf("ab12-2, own 1"), "ab12-2, own 1");
});

test("a link's change is taken, and the reader's own of that cell is put aside, however often", () => {
  let all = joined({ a: "mine", b: "same" }, { a: "theirs", b: "same", c: "new" });
  assert.deepEqual(all, { a: "theirs", b: "same", c: "new", "a, own 1": "mine" });
  all = joined(all, { a: "another's" });
  all = joined({ ...all, a: "mine" }, { a: "another's" }); // which is there already
  assert.deepEqual([all["a, own 1"], all["a, own 2"], all.a], ["mine", "theirs", "another's"]);
  assert.deepEqual(Object.keys(apartOf(all, ["a", "b", "c"])), ["a, own 1", "a, own 2"]);
});

test("a link whose letters were changed on its way is broken", () => {
  for (const bytes of [[0x7b, 0x22, 0xff, 0x22, 0x7d], [0xc3]]) assert.throws(() => brought(`#edit=${btoa(String.fromCharCode(...bytes))}`), { message: BROKEN });
  const cut = new TextEncoder().encode('{"0123456789ab": "gr\u00f6"}').map((byte) => (byte === 0xb6 ? 0x20 : byte));
  assert.throws(() => brought(`#edit=${btoa(String.fromCharCode(...cut))}`), { message: BROKEN });
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
  const nothing = ["5", "[1]", "null", '{"a": 5}', "{}", ...['"toString"', '"__proto__"', '"7"', '"0123456789ab, mine"'].map((name) => `{${name}: "x"}`)].map((text) => `#edit=${btoa(text)}`);
  for (const broken of ["#edit=", "#edit=%%%", whole.slice(0, -9), `${whole}!`, ...nothing]) assert.throws(() => brought(broken), { message: BROKEN });
});

test("names that every object has are none of a reader's changes", () => {
  const invented = JSON.parse('{"toString": "x", "constructor": "y", "__proto__": "z"}');
  assert.deepEqual(Object.entries(joined({}, invented)).filter(([name]) => name.includes("own")), []);
  const link = `#edit=${btoa('{"toString": "x", "__proto__": "z", "0123456789ab": "mine"}')}`;
  assert.deepEqual(Object.entries(brought(link)), [["0123456789ab", "mine"]]);
});

test("a cell needs what the page says of it, then what Python says; of a newer text both count, and an edit above that it does not need never does", () => {
  const cell = (text, needs) => ({ text, source: text, needs }), cells = { 1: cell("a", [1]), 2: cell("b", [2]), 3: cell("c", [1, 3]), 4: cell("puzzle", []), 5: cell("d", [1, 5]) };
  const order = new Order(cells), lines = { 1: [1], 2: [2], 3: [2, 3], 5: [1, 5] };
  assert.deepEqual([order.numbers, order.line(5), order.needed(3)], [[1, 2, 3, 5], [1, 5], [1, 3]]);
  cells[3].text = "c+";
  assert.deepEqual([order.planned({ due: [3, 5], lines }, order.texts()), order.texts()], [[3, 5], { 1: "a", 2: "b", 3: "c+", 5: "d" }]);
  assert.deepEqual([order.needed(3), order.line(3)], [[2, 3], [2, 3]]);
  cells[3].text = "c";
  assert.deepEqual([order.needed(3), order.line(3)], [[2, 3], [1, 2, 3]]);
  cells[2].text = "b+";
  assert.deepEqual(order.line(5), [1, 5]);
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

/** A cell on the page as far as `whereabouts` asks: behind a question or not. */
const placed = (number, asked = null) => ({ title: `In[${number}]`, element: { asked } });
const differs = (cell) => ({ cell, differs: cell.differs ?? ["4 → 8 sectors"] });
const whereOf = (cell, changed) => whereabouts(cell, changed.map(differs), ({ asked }) => asked, ({ title }) => `<${title}>`).map((part) => part.words ?? part).join("");

test("what a run changed is named where it stands, and what waits behind a question with the question", () => {
  globalThis.document = { createElement: () => ({ append(words) { this.words = `<${words}>`; } }) };
  const asked = { id: "", dataset: { prediction: "sides" }, querySelector: () => ({ textContent: " Which lanes? " }) };
  const [own, below, hidden, another] = [placed(3), placed(5), placed(6, asked), placed(7, asked)];
  assert.equal(whereOf(own, []), "");
  assert.equal(whereOf(own, [own, below]), " The page → yours, here: 4 → 8 sectors; <In[5]>: 4 → 8 sectors.");
  assert.equal(whereOf(own, [hidden]), "< The new result of In[6] stands behind the question ><“Which lanes?”>: answer it, or press “show me”.");
  assert.match(whereOf(own, [below, hidden, another]), /^ The page → yours, <In\[5\]>: 4 → 8 sectors\.< The new results of In\[6\] and In\[7\] stand behind/);
  assert.equal(asked.id, "prediction-sides");
  const many = { ...below, differs: ["1 → 2 u", "1 → 2 v", "1 → 2 w", "1 → 2 x", "1 → 2 y"] };
  globalThis.document.createElement = (name) => ({ append(...words) { this.words = `<${name} ${words.map((each) => each.words ?? each).join("")}>`; } });
  assert.match(whereOf(own, [many]), /: 1 → 2 u, 1 → 2 v, 1 → 2 w, <details <summary 2 more><span 1 → 2 x, 1 → 2 y>>\.$/);
  delete globalThis.document;
});

test("what explains the page's answer is said of the page's kernel where the reader's answers otherwise", () => {
  const asked = (solution) => JSON.stringify({ id: "warps", solution, why: "a \\u003c b" }).replaceAll("\\\\u", "\\u");
  const outputs = (json) => [{ kind: "shown", text: "", html: `<div data-gpusim-view="prediction"><script type="application/json">${json}</script><pre></pre></div>` }];
  const told = (json) => JSON.parse(/json">(.*)<.script/.exec(ofThePage(outputs(json), [asked("7 warps")])[0].html)[1]);
  assert.deepEqual(told(asked("7 warps")), { id: "warps", solution: "7 warps", why: "a < b" });
  assert.deepEqual(told(asked("2 warps")), { id: "warps:2%20warps", solution: "2 warps", why: "a < b", why_of: "the page’s kernel" });
  const plain = outputs('{"id": "warps", "solution": "4"}');
  assert.match(ofThePage(plain, ['{"id": "warps", "solution": "7"}'])[0].html, /json">\{"id":"warps:4","solution":"4"\}</); // one without words on it, too
  assert.match(ofThePage(outputs(asked("2 warps")), [asked("7 warps")])[0].html, /a \\u003c b/);
  const another = asked("2 warps").replace('"warps"', '"lanes"'); // which the page does not ask
  assert.deepEqual(ofThePage(outputs(another), [asked("7 warps")]), outputs(another));
  for (const broken of ["{", "null", "7", ""]) { // somebody's HTML, or a page that was changed on its way
    assert.deepEqual(ofThePage(outputs(broken), [asked("7 warps"), broken]), outputs(broken));
    assert.match(ofThePage(outputs(asked("2 warps")), [broken, asked("7 warps")])[0].html, /why_of/);
  }
  assert.deepEqual(ofThePage([{ kind: "stream", text: "x", html: "" }], []), [{ kind: "stream", text: "x", html: "" }]);
});

test("what is hidden waits for the page's question, or the reader's own in its place", () => {
  globalThis.document = newDocument(`<div data-prediction="warps:2%20warps"><button class="check"></button></div><div class="revealed" data-revealed-by="warps"><p>hidden</p></div>`);
  assert.equal(questionOf(document.querySelector("p")).dataset.prediction, "warps:2%20warps");
  delete globalThis.document;
});

test("a long output full of beginnings of questions is read once", () => {
  const html = '<div data-gpusim-view="prediction"><script type="application/json">'.repeat(40_000), began = performance.now();
  assert.equal(ofThePage([{ kind: "shown", html }], [])[0].html, html);
  assert.ok(performance.now() - began < 2000);
});

test("what is found in a reader's text is said once", () => {
  const cells = Object.fromEntries([1, 2, 3, 4].map((number) => [number, { number, text: number === 2 ? "mine" : "page's", source: "page's" }]));
  const found = new Found(cells);
  const of = (number) => ({ kind: "found", text: `racecheck finds: a race, line 5 of In[${number}].` }), shown = { kind: "shown", text: "7" };
  assert.deepEqual(found.taken([of(1), of(2), shown]), [shown]);
  assert.deepEqual(found.said(), [" racecheck finds: a race, line 5 of In[2]."]);
  assert.deepEqual(found.said(), []);
  const two = { kind: "found", text: "racecheck finds: a race, line 5 of In[1], line 6 of In[2], line 7 of In[77]." };
  assert.deepEqual([found.taken([two]), found.said()], [[], [` ${two.text}`]]);
  const left = { kind: "unchecked", text: "Not all of `put`, In[2], was checked." };
  assert.deepEqual([found.taken([left, { ...left, text: "Not all of In[1]" }]), found.said(), found.said()], [[], [" Not all of `put`, In[2], was checked."], []]);
  assert.deepEqual([found.taken([of(77)]), found.said()], [[], []]); // a cell that the page does not have
  found.taken([of(2), left]);
  found.begin(); // the run was stopped: what comes next has not found that
  assert.deepEqual(found.said(), []);
});

test("what fits into a link is read from it, to its last letter, and one letter more is too long", () => {
  const name = "0123456789ab", room = 400_000 / 4 * 3 - JSON.stringify({ [name]: "" }).length, at = "https://course.example/";
  const hashOf = (edits) => new URL(linkOf(at, edits)).hash, most = { [name]: "x".repeat(room) };
  assert.deepEqual(brought(hashOf(most)), most);
  assert.throws(() => linkOf(at, { [name]: "x".repeat(room + 1) }), /too much for a link: select the cell's text/);
  const unchanged = Array.from({ length: 100 }, (_, at) => [`${name}, own ${at}`, undefined]);
  assert.deepEqual(brought(hashOf({ [name]: "x", ...Object.fromEntries(unchanged) })), { [name]: "x" });
});
