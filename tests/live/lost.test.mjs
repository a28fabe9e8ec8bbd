// What does a page say whose scripts do not come? `lost.js`, with a page of a few lines.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newDocument } from "./dom.mjs";

let pages = 0;

/** A page of this address and text, whose script, if it is asked for, fails. */
async function failed(site, text, { at = "book/scan.html", root = "..", lacks = "run its cells" } = {}) {
  const document = newDocument(text), hears = [];
  document.currentScript = { dataset: { root, lacks } };
  const own = { document, location: new URL(at, site), addEventListener: (_, hear) => hears.push(hear) };
  for (const [name, value] of Object.entries(own)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  await import(`../../book/live/page/lost.js?${(pages += 1)}`);
  for (const hear of hears) hear({ target: { dataset: { cells: "page.json" } } });
  return document;
}

const CHAPTER = `<div class="onlyprint"><h1>Title</h1></div><article><h1>Title</h1><p class="live-lab"><a href="../lab">Do Lab 1 in your browser</a></p></article>`;
const FILE = "file:///home/my%20course/";
const addresses = (element) => [...element.querySelectorAll("a")].map((link) => link.href);

test("a page that is opened as a file says how to open it, and no link of it leads to a lab that stays blank", async () => {
  const page = await failed(FILE, CHAPTER), [bar, lab] = [".live-bar", ".live-lab"].map((each) => page.querySelector(each));
  const how = "run python3 -m http.server in the folder /home/my course/, and open http://localhost:8000/book/scan.html, or read the book on the web.";
  assert.equal(bar.textContent, `Opened as a file, this page cannot run its cells: ${how}`);
  assert.equal(bar.parentElement, page.querySelector("article")); // on paper only what is above it
  assert.equal(lab.textContent, `The lab opens in your browser where this page does not come from a file: ${how}`);
  for (const each of [bar, lab]) assert.deepEqual(addresses(each), ["http://localhost:8000/book/scan.html"]);
});

test("a file of a book that is published links to its page on the web", async () => {
  const page = await failed(FILE, `<link rel="canonical" href="https://course.example/book/scan.html"></link>${CHAPTER}`);
  for (const each of [".live-bar", ".live-lab"]) assert.equal(addresses(page.querySelector(each))[1], "https://course.example/book/scan.html");
});

test("the page of all labs, opened as a file, opens none", async () => {
  const labs = `<h1>Labs</h1><th><a class="live-served" href="notebooks/index.html?path=a.ipynb">Lab 1</a></th>`;
  const page = await failed(FILE, labs, { at: "lab/index.html", lacks: "open its labs" });
  assert.match(page.querySelector(".live-bar").textContent, /^Opened as a file, this page cannot open its labs: run .* open http:\/\/localhost:8000\/lab\/index.html,/);
  assert.equal(page.querySelector("th").textContent, "Lab 1");
  assert.equal(page.querySelector("th a"), null);
});

test("a lab's own page, opened as a file, is not blank: it has no title, and says how to serve it", async () => {
  const at = "lab/notebooks/index.html?path=scan.ipynb";
  const page = await failed(FILE, `<main id="main"></main>`, { at, root: "../../book/..", lacks: "run a lab" });
  const [bar] = page.body.children, address = `http://localhost:8000/${at}`;
  assert.ok(bar.textContent.startsWith("Opened as a file, this page cannot run a lab: run python3 -m http.server"));
  assert.ok(bar.textContent.includes(` in the folder /home/my course/, and open ${address}, `));
});

test("a page whose scripts are gone from the site says to reload it", async () => {
  const page = await failed("https://course.example/", CHAPTER);
  assert.match(page.querySelector(".live-bar").textContent, /Reload the page\.$/);
  assert.equal(page.querySelector(".live-lab").textContent, "Do Lab 1 in your browser");
});
