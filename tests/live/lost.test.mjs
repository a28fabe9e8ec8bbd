// What does a page say whose scripts do not come? `lost.js`, with a page of a few lines.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newDocument } from "./dom.mjs";

/** A chapter of this address, whose script fails. */
async function failed(site) {
  const document = newDocument(`<article><h1>Title</h1><p class="live-lab"><a href="../lab">Do Lab 1 in your browser</a></p></article>`), hears = [];
  const own = { document, location: new URL("book/scan.html", site), addEventListener: (_, hear) => hears.push(hear) };
  for (const [name, value] of Object.entries(own)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  await import(`../../book/live/page/lost.js?${encodeURIComponent(site)}`);
  hears[0]({ target: { dataset: { cells: "page.json" }, src: new URL("_live/0a1b/live.js", site).href } });
  return [".live-bar", ".live-lab"].map((each) => document.querySelector(each).textContent);
}

test("a page that is opened as a file says how to open it, and no link of it leads to a lab that stays blank", async () => {
  const [bar, lab] = await failed("file:///home/my%20course/");
  const how = "run python3 -m http.server in the folder /home/my course/, and open http://localhost:8000/book/scan.html, or read the book on the web.";
  assert.equal(bar, `Opened as a file, this page cannot run its cells: ${how}`);
  assert.equal(lab, `The lab opens in your browser where this page does not come from a file: ${how}`);
});

test("a page whose scripts are gone from the site says to reload it", async () => {
  const [bar, lab] = await failed("https://course.example/");
  assert.match(bar, /Reload the page\.$/);
  assert.equal(lab, "Do Lab 1 in your browser");
});
