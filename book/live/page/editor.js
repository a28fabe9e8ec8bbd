// The editor of a cell: what CodeMirror needs for Python, and no more. Bundled into one classic script.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.operatorKeyword, tags.definitionKeyword], class: "k" },
  { tag: [tags.string, tags.special(tags.string)], class: "s" },
  { tag: tags.number, class: "mi" },
  { tag: tags.comment, class: "c" },
  { tag: tags.meta, class: "nd" },
  { tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName))], class: "nf" },
]);

/**
 * An editor in `parent`; `changed(text)` after each change, `run()` at Shift+Enter. Escape, then Tab, leaves it: `keys`
 * says so while it has the keyboard.
 */
globalThis.gpusimEditor = function gpusimEditor({ parent, text, label, changed, run, keys }) {
  const leaves = { key: "Escape", run: (view) => (view.contentDOM.blur(), parent.querySelector("button:not([hidden])")?.focus(), true) };
  const runs = ["Shift-Enter", "Mod-Enter"].map((key) => ({ key, run: () => (run(), true) }));
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), EditorView.lineWrapping, history(), python(), indentUnit.of("    "), indentOnInput(), bracketMatching(), syntaxHighlighting(colours),
        keymap.of([...runs, leaves, indentWithTab, ...historyKeymap, ...defaultKeymap]),
        EditorView.contentAttributes.of({ "aria-label": label, "aria-description": keys, spellcheck: "false", autocapitalize: "off" }),
        EditorView.scrollMargins.of(() => ({ top: (document.querySelector(".live-on")?.getBoundingClientRect().bottom ?? 0) + 8, bottom: 8 })),
        EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
      ],
    }),
  });
  view.dom.after(Object.assign(document.createElement("p"), { className: "live-keys", textContent: keys, ariaHidden: "true" })); // spoken as the description
  view.dom.addEventListener("keydown", (event) => event.stopPropagation()); // "/" is a letter here, and no search
  return { put: (other) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: other } }), destroy: () => view.destroy() };
};
