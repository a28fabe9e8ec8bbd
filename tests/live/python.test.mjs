// How does a page's Python begin and end? `python.js`, with a frame and a site made of a few lines.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Python } from "../../book/live/page/python.js";

/** A browser: its frames, and what they are told. */
function browser(t) {
  const frames = [], heard = [];
  const frame = () => ({ append() {}, contentWindow: { postMessage(_, __, ports = []) { frames.at(-1).port = ports[0]; } }, remove() { frames.splice(frames.indexOf(this), 1); } });
  const stand = {
    document: { createElement: frame, body: { append: (each) => frames.push(each) } }, addEventListener: (_, hears) => heard.push(hears), removeEventListener: (_, hears) => heard.splice(heard.indexOf(hears), 1),
    fetch: async () => new Response("", { headers: { "content-type": "text/javascript" } }),
  };
  for (const [name, value] of Object.entries(stand)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  const python = new Python((name) => `https://course.example/${name}`, { core: [], archives: [] }, () => {});
  t.after(() => (python.end(), delete globalThis.document));
  return { frames, python, ready: () => [...heard].forEach((hears) => hears({ source: frames[0].contentWindow })) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a room that did not come is asked for once more with the next Python", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { frames, python, ready } = browser(t), begun = python.begin();
  frames[0].onload();
  t.mock.timers.tick(10_000);
  await assert.rejects(begun, { message: /python\.html did not come, .*reload the page\.$/ });
  assert.deepEqual(frames, []);
  const again = python.begin();
  assert.equal(frames.length, 1);
  ready();
  await settled();
  frames[0].port.postMessage({ outputs: [] });
  await again;
  assert.ok(python.loaded);
});

test("Python that broke down can begin anew, and that is said", async (t) => {
  const { frames, python, ready } = browser(t), begun = python.begin();
  ready();
  await settled();
  frames[0].port.postMessage({ failed: "Python broke down: it has no memory left." });
  await assert.rejects(begun, { message: "Python broke down: it has no memory left. Run a cell to try again." });
  assert.equal(python.runs, false);
});
