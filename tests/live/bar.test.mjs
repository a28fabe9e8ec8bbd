// Does a student get the file to hand in? `bar.js`, with a page and a notebook made of a few lines.
import assert from "node:assert/strict";
import { test } from "node:test";

const own = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });

/** The bar of a lab whose notebook a browser keeps by `save`; what is downloaded, said and asked, which gets `answer`. */
async function opened(save, answer) {
  const got = [], said = [], went = [], files = [], hears = {}, listens = () => {}, button = { dataset: { do: "download" }, addEventListener: (_, hear) => (button.click = hear) };
  const made = (tag) => ({ setAttribute: listens, addEventListener: (kind, hear) => (hears[kind] = hear), innerHTML: "", querySelector: () => null, querySelectorAll: () => [button], click() { got.push([this.download, files.at(-1)]); }, tag });
  const context = { ready: Promise.resolve(), save, model: { dirty: true, toJSON: () => ({ cells: ["mine"] }) } };
  own("location", { search: "?path=scan.ipynb", assign: (address) => went.push(address) });
  own("window", { jupyterapp: { shell: { currentWidget: { context } } }, alert: (words) => said.push(words), confirm: (words) => (said.push(words), answer) });
  own("document", { getElementById: () => ({ textContent: JSON.stringify({ labs: [{ name: "scan", chapter: "Scan" }], book: "book" }) }), createElement: made, body: { prepend: listens }, addEventListener: listens });
  own("URL", class extends URL { static createObjectURL = (blob) => (files.push(blob), "blob:"); static revokeObjectURL = listens; });
  own("setTimeout", () => {}); // the file may go in a minute
  await import(`../../book/live/labs/bar.js?${Math.random()}`);
  return { button, hears, got, said, went };
}

/** What is downloaded, and what is said. */
async function pressed(save) {
  const { button, got, said } = await opened(save);
  await button.click();
  return { got: await Promise.all(got.map(async ([name, file]) => [name, JSON.parse(await file.text())])), said };
}

/** A link is followed from there. */
async function left(save, answer) {
  const { hears, said, went } = await opened(save, answer);
  await hears.click({ target: { closest: () => ({ href: "next" }) }, preventDefault() {} });
  return { said, went };
}

const FILE = [["scan.ipynb", { cells: ["mine"] }]];

test("what is on the page is downloaded under the name that a course asks for", async () => {
  assert.deepEqual(await pressed(async () => {}), { got: FILE, said: [] });
});

test("where the browser does not keep it, it is downloaded all the same, and that is said", async () => {
  const { got, said } = await pressed(async () => { throw new Error("QuotaExceededError"); });
  assert.deepEqual(got, FILE);
  assert.match(said.join(), /^Your browser did not keep your last changes \(QuotaExceededError\)\. The file that you get now has them/);
});

test("what was typed last is kept before a link leads on; where it is not kept, that is said, and she may go all the same", async () => {
  const full = async () => { throw new Error("QuotaExceededError"); };
  assert.deepEqual(await left(async () => {}), { said: [], went: ["next"] });
  for (const answer of [true, false]) {
    const { said, went } = await left(full, answer);
    assert.match(said.join(), /^Your browser did not keep your last changes \(QuotaExceededError\)\. Leave without them\?/);
    assert.deepEqual(went, answer ? ["next"] : []);
  }
});
