// Does a student get the file to hand in? `bar.js`, with a page and a notebook made of a few lines.
import assert from "node:assert/strict";
import { test } from "node:test";

const own = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });

/** The bar of a lab whose notebook a browser keeps by `save`; what is downloaded, and what is said. */
async function pressed(save) {
  const got = [], said = [], listens = () => {}, button = { dataset: { do: "download" }, addEventListener: (_, hear) => (button.click = hear) };
  const made = (tag) => ({ setAttribute: listens, addEventListener: listens, innerHTML: "", querySelector: () => null, querySelectorAll: () => [button], click() { got.push([this.download, files.at(-1)]); }, tag });
  const files = [], context = { ready: Promise.resolve(), save, model: { toJSON: () => ({ cells: ["mine"] }) } };
  own("location", { search: "?path=scan.ipynb" });
  own("window", { jupyterapp: { shell: { currentWidget: { context } } }, alert: (words) => said.push(words) });
  own("document", { getElementById: () => ({ textContent: JSON.stringify({ labs: [{ name: "scan", chapter: "Scan" }], book: "book" }) }), createElement: made, body: { prepend: listens }, addEventListener: listens });
  own("URL", class extends URL { static createObjectURL = (blob) => (files.push(blob), "blob:"); static revokeObjectURL = listens; });
  own("setTimeout", () => {}); // the file may go in a minute
  await import(`../../book/live/labs/bar.js?${Math.random()}`);
  await button.click();
  return { got: await Promise.all(got.map(async ([name, file]) => [name, JSON.parse(await file.text())])), said };
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
