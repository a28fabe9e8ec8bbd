// Where does what a cell gave go? `outputs.js`, with a page made of a few lines.
import assert from "node:assert/strict";
import { test } from "node:test";
import { harmless, show } from "../../book/live/page/outputs.js";
import { newDocument } from "./dom.mjs";

class Element {
  children = [];
  append(...more) { this.children.push(...more); }
  replaceChildren(...all) { this.children = all; }
  querySelector() { return this.children.find(({ className }) => className?.startsWith("cell_output")) ?? null; }
  get words() { return this.children.map((each) => each.words ?? each).join("|"); }
}

globalThis.document = { createElement: () => new Element(), dispatchEvent: () => {} };

test("what a cell printed before it plots is shown, its picture stays, and below them is said why", () => {
  const cell = new Element(), picture = Object.assign(new Element(), { className: "cell_output docutils" });
  picture.append("picture");
  cell.append(picture);
  const outputs = [{ kind: "stream", text: "printed" }, { kind: "shown", text: "7" }, { kind: "elsewhere", text: "no plots here" }];
  assert.equal(show(cell, outputs), undefined);
  assert.equal(cell.words, "picture|printed|7|no plots here");
  assert.deepEqual(cell.children.map(({ className }) => className.split(" ")[0]), ["cell_output", "live-beside", "live-note"]);
  assert.equal(show(cell, outputs.slice(0, 2)), true);
  assert.equal(picture.words, "printed|7");
});

test("of what commands the page's theme nothing is left in a cell's HTML, and what views and controls are known by stays", () => {
  Object.assign(globalThis, { document: newDocument(""), location: { href: "https://course.example/" } });
  const given = '<div data-gpusim-view="a" data-control="3" data-bs-toggle="modal" data-bs-target="#b" data-revealed-by="c" data-own="7">';
  const [made] = harmless(`${given}x</div><button formaction="https://away.example/">y</button>`).children;
  assert.deepEqual({ ...made.dataset }, { gpusimView: "a", control: "3" });
  for (const command of ["popover", 'cite="javascript:1"', 'data-filter="javascript:1"', 'onclick="1"'])
    assert.equal(harmless(`<p ${command}>x</p>`).children[0].getAttribute(command.split("=")[0]), null, command);
  const [button] = harmless('<button form="search" formaction="https://away.example/">y</button>').children; // the page's own form
  assert.deepEqual([button.getAttribute("form"), button.getAttribute("formaction")], [null, null]);
});

test("a cell's HTML takes no name that the page's scripts know, and no place that its links lead to", () => {
  const page = '<h2 id="a">A</h2><div class="cell_output"><p id="b">b</p></div>';
  Object.assign(globalThis, { document: newDocument(page), location: { href: "https://course.example/" } });
  const idOf = (html) => harmless(html).children[0].getAttribute("id");
  assert.equal(harmless('<img name="createElement">').children[0].getAttribute("name"), null);
  assert.deepEqual(["a", "b", "c"].map((id) => idOf(`<p id="${id}">x</p>`)), [null, "b", "c"]);
});

test("what runs, loads, sends or leads away by itself is taken out of a cell's HTML; a view's report stays", () => {
  Object.assign(globalThis, { document: newDocument(""), location: { href: "https://course.example/" } });
  for (const tag of ["script", "iframe", "frame", "object", "embed", "link", "meta", "base", "form", "template", "animate", "set"])
    assert.deepEqual(harmless(`<p>a</p><${tag}>b</${tag}>`, "p").children.map((each) => each.tag), ["p"], tag);
  assert.equal(harmless('<script type="application/json">{}</script>').children.length, 1);
});
