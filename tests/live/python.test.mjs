// How does a page's Python begin, answer and end? `python.js` and `worker.js`, with a frame, a site and a Pyodide made of a few lines.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { Python, Stopped } from "../../book/live/page/python.js";

/** A browser: its frames, and what they are told. */
function browser(t) {
  const frames = [], heard = [];
  const frame = () => ({ append() {}, contentWindow: { postMessage(text, __, ports = []) { Object.assign(frames.at(-1), { port: ports[0], told: text }); } }, remove() { frames.splice(frames.indexOf(this), 1); } });
  const stand = {
    document: { createElement: frame, body: { append: (each) => frames.push(each) } }, addEventListener: (_, hears) => heard.push(hears), removeEventListener: (_, hears) => heard.splice(heard.indexOf(hears), 1),
    fetch: async () => new Response("", { headers: { "content-type": "text/javascript" } }),
  };
  for (const [name, value] of Object.entries(stand)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  const python = new Python((name) => `https://course.example/${name}`, { core: [], archives: [] }, () => {});
  t.after(() => (python.end(), delete globalThis.document));
  return { frames, python, hear: (event) => [...heard].forEach((hears) => hears(event)), ready: () => [...heard].forEach((hears) => hears({ source: frames[0].contentWindow })) };
}

/** The worker answers the next question, over the port that came with it. */
const answered = (port, ...answers) => new Promise((resolve) => {
  port.onmessage = ({ data, ports: [own] }) => (answers.forEach((answer) => own.postMessage(answer)), resolve(data));
});

const settled = () => new Promise((resolve) => setImmediate(resolve));
/** A Python that has begun, the port that its room answers by, and what is said of its end. */
async function running(t) {
  const { frames, python, ready } = browser(t), lost = [], begun = python.begin();
  python.lost = (error) => lost.push(error.message);
  ready();
  await settled();
  const { port } = frames[0];
  await answered(port, { outputs: [] });
  await begun;
  return { python, port, lost };
}

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
  await answered(frames[0].port, { outputs: [] });
  await again;
  assert.ok(python.loaded);
});

test("Python that broke down can begin anew, and that is said", async (t) => {
  const { frames, python, ready } = browser(t), begun = python.begin();
  ready();
  await settled();
  await answered(frames[0].port, { failed: "Python broke down: it has no memory left." });
  await assert.rejects(begun, { message: "Python broke down: it has no memory left. Run a cell to try again." });
  assert.equal(python.runs, false);
});

test("what a Python said as it was ended does not end the next one", async (t) => {
  const { frames, python, ready } = browser(t), begun = python.begin();
  ready();
  await settled();
  const late = frames[0].port;
  await answered(late, { outputs: [] });
  await begun;
  late.postMessage({ failed: "Python broke down." }); // on its way
  python.end();
  const again = python.begin();
  await settled();
  await answered(frames[0].port, { outputs: [] });
  await again;
  assert.ok(python.runs);
});

test("each question has an answer of its own: what else is said, before or after it, is none", async (t) => {
  const { python, port } = await running(t);
  const first = python.ask({ run: 1 });
  port.postMessage({ outputs: "a cell's own" });
  await answered(port, { outputs: "first" }, { outputs: "once more" });
  assert.equal(await first, "first");
  const second = python.ask({ run: 2 });
  await answered(port, { outputs: "second" });
  assert.equal(await second, "second");
});

test("a worker that could not be started is said", async (t) => {
  const { frames, python, ready } = browser(t), begun = python.begin();
  ready();
  await settled();
  frames[0].port.postMessage({ failed: "Python could not be started." });
  await assert.rejects(begun, { message: "Python could not be started. Run a cell to try again." });
});

test("a load that was stopped, and fails late, does not end the Python that was begun after it", async (t) => {
  const { frames, python, ready } = browser(t), { fetch } = globalThis;
  let fail = null;
  globalThis.fetch = () => new Promise((_, reject) => (fail ??= reject)); // which hears no signal
  const begun = python.begin();
  ready();
  await settled();
  python.end();
  await assert.rejects(begun, Stopped);
  globalThis.fetch = fetch;
  const again = python.begin();
  fail(new Error("no network"));
  for (let turn = 0; turn < 5; turn++) await settled();
  assert.ok(python.runs);
  await answered(frames[0].port, { outputs: [] });
  await again;
});

test("a room that is ready before its frame has loaded is not given up", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { frames, python, ready } = browser(t), begun = python.begin();
  ready();
  frames[0].onload?.();
  t.mock.timers.tick(10_000);
  assert.equal(frames.length, 1);
  await settled();
  await answered(frames[0].port, { outputs: [] });
  await begun;
});

test("Stop ends what is loaded and what is asked, and what comes late is nobody's", async (t) => {
  const { frames, python, ready } = browser(t), begun = python.begin();
  python.end();
  await assert.rejects(begun, Stopped);
  const again = python.begin();
  ready();
  await settled();
  await answered(frames[0].port, { outputs: [] });
  await again;
  assert.ok(python.loaded);
  python.end();
  const third = python.begin();
  assert.equal(python.loaded, false);
  await settled();
  await answered(frames[0].port, { outputs: [] });
  await third;
  const asked = python.ask({ run: 1 }), late = answered(frames[0].port, { outputs: "late" });
  python.end();
  assert.equal(frames[0].told, null); // its room ends the worker
  await assert.rejects(asked, Stopped);
  await Promise.race([late, settled()]);
  assert.equal(python.runs, false);
});

test("Python's frame has no origin, and is ready when it says so itself", async (t) => {
  const { frames, python, hear } = browser(t);
  python.begin().catch(() => {});
  assert.equal(frames[0].sandbox, "allow-scripts");
  hear({ source: {} }); // any other window
  await settled();
  assert.equal(frames[0].told, undefined);
  hear({ source: frames[0].contentWindow });
  await settled();
  assert.equal(frames[0].told, "");
});

test("what was stopped while it loaded starts no worker, and its files are asked for no longer", async (t) => {
  const { frames, python, ready } = browser(t), signals = [], { fetch } = globalThis;
  globalThis.fetch = (address, how = {}) => (signals.push(how.signal), fetch(address, how));
  for (const core of [[], [{ name: "a", bytes: 1, sha256: "" }]]) {
    python.files.core = core;
    const begun = python.begin();
    ready();
    await Promise.resolve();
    python.end();
    await assert.rejects(begun, Stopped);
    for (let turn = 0; turn < 5; turn++) await settled();
    assert.equal(frames[0].port, undefined);
  }
  const asked = signals.filter(Boolean);
  assert.deepEqual([asked.length > 0, asked.every(({ aborted }) => aborted)], [true, true]);
});

test("a Python that ends by itself while nobody asks is said", async (t) => {
  const { python, port, lost } = await running(t);
  port.postMessage({ failed: "Uncaught Error: late." });
  for (let turn = 0; turn < 5; turn++) await settled();
  assert.deepEqual([python.runs, lost], [false, ["Uncaught Error: late. Run a cell to try again."]]);
});

test("a Python that ends while somebody asks tells them, and nobody else", async (t) => {
  const { python, port, lost } = await running(t);
  const asked = python.ask({ run: 1 });
  port.postMessage({ failed: "It ended." });
  await assert.rejects(asked, { message: "It ended. Run a cell to try again." });
  assert.deepEqual(lost, []);
});

/** `worker.js` with a Python that answers `session(asked)`; what it posts to whoever listens, and a way to ask it. */
function worker(session) {
  const told = [], scope = createContext({ URL: { createObjectURL: () => "" }, Blob, Response, importScripts() {}, postMessage: (data) => told.push(data), loadPyodide: async () => ({ unpackArchive() {}, runPython: () => session }) });
  scope.self = scope;
  runInContext(readFileSync(new URL("../../book/live/page/worker.js", import.meta.url), "utf-8"), scope);
  const ask = async (data) => {
    const heard = [];
    await scope.onmessage({ data, ports: [{ postMessage: (answer) => heard.push(answer) }] });
    return structuredClone(heard);
  };
  return { ask, told };
}

test("the worker answers over the port of each question, and says what ended it", async () => {
  const asked = [], { ask, told } = worker((text) => (asked.push(JSON.parse(text)), text.includes("ends") ? assert.fail("Traceback\nMemoryError") : '["7"]'));
  assert.deepEqual(await ask({ load: { core: [], archives: [] } }), [{ outputs: [] }]);
  assert.deepEqual(await ask({ run: { number: 3 } }), [{ outputs: ["7"] }]);
  assert.deepEqual(await ask({ run: "ends" }), [{ failed: "Python broke down: MemoryError." }]);
  assert.deepEqual([asked, told], [[{ warm: true }, { run: { number: 3 } }, { run: "ends" }], []]);
});

test("a Python that does not load says why", async () => {
  const { ask } = worker(null);
  assert.deepEqual(await ask({ load: { core: [] } }), [{ failed: "archives is not iterable" }]);
});

test("the room of a Python, once there, is not given up for being late", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { frames, python, ready } = browser(t), begun = python.begin();
  frames[0].onload();
  ready();
  t.mock.timers.tick(10_000);
  assert.equal(frames.length, 1);
  await settled();
  await answered(frames[0].port, { outputs: [] });
  await begun;
  assert.ok(python.loaded);
});
