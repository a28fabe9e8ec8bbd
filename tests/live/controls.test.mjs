// What becomes of texts that a cell shows to be edited? `controls.js`, with a page made of a few lines.
import assert from "node:assert/strict";
import { test } from "node:test";
import { editTexts } from "../../book/live/page/controls.js";

/** A cell that shows these texts, each in a control of that number or in none; its editors, by what they hold. */
function cellWith(shown, typed = {}) {
  const editors = [], told = [], kept = [];
  globalThis.document = { createElement: () => ({ append() {} }), querySelectorAll: () => [] };
  globalThis.gpusimEditor = ({ text, changed }) => {
    const editor = { text, changed, destroyed: false, put: () => {}, destroy: () => (editor.destroyed = true) };
    editors.push(editor);
    return editor;
  };
  const area = ([control, value]) => ({ value, parentElement: { append() {} }, closest: (what) => (control == null || what !== "[data-control]" ? null : { dataset: { control } }) });
  let areas = shown.map(area);
  const cell = { typed, playground: (place) => place, element: { querySelectorAll: () => areas } };
  const edit = () => editTexts(cell, (...what) => told.push(what), (each) => kept.push({ ...each.typed }));
  return { cell, editors, told, kept, edit, shows: (other) => (areas = other.map(area)) };
}

test("of two playgrounds of a cell each keeps its own text", () => {
  const { cell, editors, told, kept, edit } = cellWith([["3", "one"], ["8", "two"]]);
  assert.equal(edit(), true);
  editors[1].changed("TWO");
  assert.deepEqual([cell.typed, told], [{ 1: "TWO" }, [["8", "TWO"]]]);
  editors[0].changed("ONE");
  editors[1].changed("two"); // as it was
  assert.deepEqual(kept, [{ 1: "TWO" }, { 0: "ONE", 1: "TWO" }, { 0: "ONE", 1: undefined }]);
});

test("what was typed there is told to the next run's control, and the editors of the last are let go", () => {
  const { editors, told, edit, shows } = cellWith([["3", "one"], ["8", "two"]], { 1: "TWO" });
  edit();
  assert.deepEqual([editors.map(({ text }) => text), told], [["one", "TWO"], [["8", "TWO"]]]);
  shows([["11", "one"]]);
  edit();
  assert.deepEqual(editors.map(({ destroyed }) => destroyed), [true, true, false]);
});

test("a text without a control is left alone", () => {
  const { editors, edit } = cellWith([[null, "somebody's HTML"]]);
  assert.equal(edit(), false);
  assert.deepEqual(editors, []);
});
