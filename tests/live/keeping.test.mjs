// Does a reader lose a text? What a live page keeps, with other tabs, links, playgrounds and Reset (live_page.mjs).
import assert from "node:assert/strict";
import { test } from "node:test";
import { linkOf } from "../../book/live/page/links.js";
import { memory, nameOf, opened, settled } from "./live_page.mjs";

const A = nameOf(1), B = nameOf(2), GONE = nameOf(77);
const fragment = (edits) => new URL(linkOf("https://course.example/", edits)).hash;
const kept = ({ document }) => document.querySelectorAll(".live-apart pre").map(({ textContent }) => textContent);
const texts = ({ editors }) => editors.map(({ text }) => text);
const other = (page, number) => page.cell(number).querySelector(".live-other");
const playground = ({ source }) => [{
  kind: "shown", text: "",
  html: `<div class="live-row"><div data-control="3" class="gpusim-editor"><textarea>${source}</textarea></div></div>`,
}];

async function open(t, ...how) {
  const page = await opened(...how);
  t.after(page.close);
  return page;
}

test("Reset all forgets what it counts: a text of an earlier edition stays, and is shown", async (t) => {
  const stored = memory({ [A]: "mine", [GONE]: "an hour's" }), page = await open(t, ["a", "b"], { stored });
  page.press("Reset all (1)");
  assert.deepEqual([stored.edits, kept(page)], [{ [GONE]: "an hour's" }, ["an hour's"]]);
  page.press("Undo");
  assert.deepEqual(stored.edits, { [A]: "mine", [GONE]: "an hour's" });
});

test("Reset all puts aside what another tab has in a cell", async (t) => {
  const page = await open(t, ["a"]);
  page.editors[0].type("mine");
  await page.another({ [A]: "theirs" });
  page.press("Reset all (1)");
  assert.deepEqual([page.stored.edits, kept(page), texts(page)], [{ [`${A}, own 1`]: "theirs" }, ["theirs"], ["a"]]);
});

for (const closed of [true, false])
  test(`the button does what it says, also after another tab wrote; the page is ${closed ? "closed" : "open"}`, async (t) => {
    const stored = memory({ [A]: "mine" }), page = await open(t, ["a", "b"], { stored, closed });
    page.press("Reset all (1)");
    await page.another({ [A]: "theirs" });
    page.press("Reset all (1)");
    assert.equal(stored.edits[A], undefined);
    page.press("Undo");
    assert.equal(stored.edits[A], "theirs");
  });

test("what another tab has forgotten, and this one shows, counts, and is reset and brought back", async (t) => {
  const page = await open(t, ["a"]);
  page.editors[0].type("mine");
  await page.another({});
  page.press("Reset all (1)");
  assert.deepEqual([texts(page), page.stored.edits], [["a"], {}]);
  page.press("Undo");
  assert.deepEqual([texts(page), page.stored.edits], [["mine"], { [A]: "mine" }]);
});

test("what another tab wrote while this page heard nothing is put aside, by a letter typed and by Reset all", async (t) => {
  const page = await open(t, ["a", "b"]);
  page.editors[1].type("mine");
  page.stored.edits = { [A]: "their a", [B]: "theirs" };
  page.editors[1].type("mine+");
  assert.deepEqual([page.stored.edits, kept(page)], [{ [A]: "their a", [B]: "mine+", [`${B}, own 1`]: "theirs" }, ["theirs"]]);
  assert.deepEqual([other(page, 1) !== null, other(page, 2)], [true, null]);
  page.editors[1].type("mine++"); // which is nobody else's
  assert.deepEqual(kept(page), ["theirs"]);
  page.stored.edits = { [B]: "theirs, later" };
  page.press("Reset all (2)"); // In[1] has their text, which the box offers
  assert.deepEqual(kept(page), ["theirs, later"]);
});

test("a page that comes back says what another tab wrote meanwhile; taken is what stands there then", async (t) => {
  const page = await open(t, ["a"]);
  page.stored.edits = { [A]: "theirs" };
  await page.wake(false);
  assert.equal(other(page, 1), null);
  await page.wake();
  page.stored.edits = { [A]: "theirs, later" };
  page.press("Take that text", page.cell(1));
  assert.deepEqual([texts(page), page.stored.edits], [["theirs, later"], { [A]: "theirs, later" }]);
});

test("an address that this browser wrote, for lack of room, brings back the reader's own change, and a pasted one somebody's", async (t) => {
  const stored = Object.assign(memory(), { full: true }), page = await open(t, ["a", "b"], { stored });
  page.editors[0].type("mine");
  const reload = { stored, hash: page.location.hash, state: page.state }, closed = await open(t, ["a", "b"], { ...reload, closed: true });
  assert.match(closed.invited, /^The address of this page carries your change of In\[1\]\. /);
  const again = await open(t, ["a", "b"], reload);
  assert.match(again.said, /Your change is back in In\[1\], not run yet\. This browser keeps no changes/);
  assert.deepEqual(texts(again), ["mine", "b"]);
  await again.go(fragment({ [B]: "theirs" }));
  assert.match(again.said, /^The link's change is in In\[2\]: run it\./);
});

test("Undo stays as long as nothing else is changed", async (t) => {
  const page = await open(t, ["a", "b"], { stored: memory({ [A]: "mine" }) });
  page.press("Reset all (1)");
  page.editors[1].type("another");
  page.press("Reset all (1)");
  assert.deepEqual(page.stored.edits, {});
  page.press("Undo");
  assert.deepEqual([page.stored.edits, texts(page)], [{ [B]: "another" }, ["a", "another"]]);
});

test("of two tabs at one playground neither overwrites the other's text, and the word on it can be seen and goes", async (t) => {
  const page = await open(t, ["a"], { answers: playground }), name = `${A}, playground`;
  await page.run(1);
  page.editors[1].type("here");
  await page.another({ [name]: "there" });
  assert.equal(other(page, 1).closest("details"), null);
  page.editors[1].type("here+");
  assert.deepEqual([page.stored.edits, kept(page)], [{ [name]: "here+", [`${name}, own 1`]: "there" }, ["there"]]);
  assert.equal(other(page, 1), null);
  await page.another({ [name]: "there, later" });
  page.press("Take that text", page.cell(1));
  assert.deepEqual([page.editors[1].text, page.stored.edits], ["there, later", { [name]: "there, later" }]);
  await page.another({});
  page.press("Take that text", page.cell(1));
  assert.deepEqual([page.editors[1].text, page.stored.edits], ["a", {}]);
});

test("the text of a cell that is taken leaves alone the playground that an earlier one made", async (t) => {
  const page = await open(t, ["a"], { answers: playground });
  await page.run(1);
  await page.another({ [A]: "theirs", [`${A}, playground`]: "there" });
  page.press("Take that text", page.cell(1));
  assert.deepEqual(texts(page), ["theirs", "a"]);
});

test("a link changes the cells that it was sent for, and puts aside both texts of two tabs there", async (t) => {
  const page = await open(t, ["a", "b"]);
  page.editors[1].type("my b");
  await page.another({ [B]: "their b" });
  await page.go(fragment({ [A]: "linked" }));
  assert.deepEqual([texts(page), page.stored.edits], [["linked", "my b"], { [A]: "linked", [B]: "their b" }]);
  assert.notEqual(other(page, 2), null);
  await page.go(fragment({ [B]: "linked, too" }));
  assert.deepEqual([texts(page), kept(page)], [["linked", "linked, too"], ["their b", "my b"]]);
  assert.equal(other(page, 2), null);
});

test("what was typed into a playground is put aside, once, when its cell becomes another", async (t) => {
  const page = await open(t, ["a"], { answers: playground });
  await page.run(1);
  page.editors[1].type("an hour's");
  page.editors[0].type("a ");
  assert.match(page.said, /^What you typed into its playground is kept below the title/);
  page.editors[0].type("a");
  assert.deepEqual([page.stored.edits, kept(page)], [{ [`${A}, playground, own 1`]: "an hour's" }, ["an hour's"]]);
});

test("the box of kept texts stays as it is while another tab writes; Forget forgets one, and the last takes the box away", async (t) => {
  const stored = memory({ [GONE]: "x", [nameOf(78)]: "y" }), page = await open(t, ["a"], { stored });
  const box = () => page.document.querySelector(".live-apart"), first = box();
  first.setAttribute("open", "");
  await page.another({ ...stored.edits, [A]: "t" });
  assert.equal(box(), first);
  page.press("Forget");
  assert.deepEqual([kept(page), box().querySelector("summary").textContent], [["y"], "Changes that are not in the page: 1"]);
  assert.deepEqual([box().open, stored.edits], [true, { [nameOf(78)]: "y", [A]: "t" }]);
  page.press("Forget");
  assert.deepEqual([box(), stored.edits], [null, { [A]: "t" }]);
});

test("a pasted link brings the page to its cell, and one to a heading changes nothing", async (t) => {
  const page = await open(t, ["a", "b"], { stored: memory({ [GONE]: "x" }) }), seen = [];
  page.cell(2).scrollIntoView = () => seen.push(2);
  await page.go(fragment({ [B]: "linked" }));
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual([seen, page.document.activeElement === page.cell(2), page.cell(2).tabIndex], [[2], true, -1]);
  await page.run(1);
  await page.go("#heading");
  assert.match(page.said, /^Ran in/);
});

test("after a load that failed the button is there once more", async (t) => {
  const page = await open(t, ["a"], { closed: true });
  const { fetch } = globalThis;
  globalThis.fetch = async () => new Response("", { status: 404 });
  page.press("Run here");
  await settled();
  assert.match(page.said, /did not come: 404/);
  globalThis.fetch = fetch;
  await page.begin();
  assert.match(page.said, /^Ready\./);
});

test("a link that is longer, or of more cells, than any page makes is none, and none is made", async (t) => {
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [nameOf(at), "x"]));
  const code = (edits) => `#edit=${btoa(JSON.stringify(edits))}`;
  for (const edits of [many, { [A]: "x".repeat(400_000) }]) {
    const page = await open(t, ["a"], { hash: code(edits) });
    assert.match(page.said, /^Ready\. This link should carry a change of a cell, and carries too much/);
    assert.deepEqual([page.stored.edits, kept(page)], [{}, []]);
    assert.throws(() => linkOf("https://course.example/", edits), /too much for a link/);
  }
  const page = await open(t, ["a"]);
  page.editors[0].type("x".repeat(400_000));
  page.press("Copy a link to it");
  await settled();
  assert.match(page.said, /select the cell's text, and copy it/);
});

test("of many kept texts the first can be read, and how many more there are", async (t) => {
  const all = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [nameOf(at + 50), `text ${at}`])), page = await open(t, ["a"], { stored: memory(all) });
  assert.equal(kept(page).length, 50);
  assert.match(page.document.querySelector(".live-apart").textContent, /^Changes that are not in the page: 120.*and 70 more/s);
});
