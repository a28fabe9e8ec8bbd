// What does the bar below the title say, and where does the keyboard go? `panel.js`, alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Panel } from "../../book/live/page/panel.js";
import { newDocument } from "./dom.mjs";

function panel() {
  const said = [], document = (globalThis.document = newDocument("")), own = new Panel({ size: 20e6, licences: "" });
  const say = own.say.bind(own);
  own.say = (words, how) => (said.push(words), say(words, how));
  return { own, said, document };
}

test("of a load the beginning and the end are said; how much has come stands beside its bar, which goes with it", () => {
  const { own, said } = panel();
  for (const bytes of [0, 5e6, 12e6, 20e6]) own.loading(bytes);
  assert.deepEqual(said, ["Loading Python …", "Starting Python …"]);
  assert.deepEqual([own.come.textContent, own.come.hidden, own.bar.value], [" 20 MB of 20 MB", false, 1]);
  assert.equal(own.bar.getAttribute("aria-label"), "How much of Python is loaded");
  own.working(false);
  assert.ok(own.come.hidden);
});

test("the keyboard goes back to where it was before Stop", () => {
  globalThis.document = newDocument("<p>cell</p>");
  const hears = {}, create = document.createElement, from = document.querySelector("p");
  document.createElement = (tag) => Object.assign(create(tag), { addEventListener: (kind, hear) => (hears[kind] = hear) });
  const own = new Panel({ size: 1, licences: "" });
  own.element.contains = (element) => element !== from;
  own.working(true);
  hears.focusin({ relatedTarget: from });
  hears.focusin({ relatedTarget: own.reset }); // within the bar
  own.stop.contains = (element) => element === own.stop;
  own.stop.focus();
  own.working(false);
  assert.equal(document.activeElement, from);
});

test("why a new Python begins stays while it loads", () => {
  const { own, said } = panel();
  own.say("A new Python begins.", { stays: true });
  for (const bytes of [0, 20e6]) own.loading(bytes);
  assert.deepEqual(said, ["A new Python begins."]);
});
