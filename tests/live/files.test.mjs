// What does a page take for the file that it was published with? `files.js`, with a browser made of a few lines.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { json, load, script } from "../../book/live/page/files.js";

const LIVE = "https://course.example/_live/";
const CRYPTO = globalThis.crypto;
const encoded = (text) => new TextEncoder().encode(text);
const published = (name, text, more = {}) => ({ name, bytes: text.length, sha256: createHash("sha256").update(text).digest("hex"), ...more });
const ASKED = [published("pyodide/pyodide.js", "loads"), published("pyodide/pyodide.asm.js", "computes"), published("numpy.whl", "numbers", { into: "/packages" })];
const SITE = { "pyodide/pyodide.js": "loads", "pyodide/pyodide.asm.js": "computes", "numpy.whl": "numbers" };

const own = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });

/** A page that loads: how much of it has come, what it asks the site for, and what it gets. `site(name, cache)` gives a text or none. */
async function loading(site, store = new Map(), more = {}) {
  const arrived = [], asked = [];
  const kept = {
    match: async (address) => store.has(address) ? new Response(store.get(address)) : undefined,
    put: async (address, response) => void store.set(address, new Uint8Array(await response.arrayBuffer())),
    delete: async (address) => store.delete(address),
    keys: async () => [...store.keys()].map((url) => ({ url })),
  };
  const browser = {
    crypto: CRYPTO, caches: { open: async () => kept },
    fetch: async (address, { cache }) => {
      const name = address.slice(LIVE.length), text = site(name, cache);
      asked.push([name, cache]);
      if (text instanceof Error) throw text;
      return text == null ? new Response("", { status: 404, statusText: "Not Found" }) : new Response(encoded(text));
    },
    ...more,
  };
  for (const [name, value] of Object.entries(browser)) own(name, value);
  const [files, failed] = await load(LIVE, ASKED, (bytes) => arrived.push(bytes)).then((files) => [files], (error) => [[], error.message]);
  return { arrived, asked, got: files.map(({ content, into }) => [new TextDecoder().decode(content), into]), failed, store };
}

const GOT = [["loads", undefined], ["computes", undefined], ["numbers", "/packages"]];
const fine = (name) => SITE[name];

test("a first visit fetches each file once and keeps it; a second fetches none, and forgets what the site no longer has", async () => {
  const first = await loading(fine);
  assert.deepEqual([first.failed, first.asked.length, first.got], [undefined, 3, GOT]);
  assert.equal(first.arrived.at(-1), "loadscomputesnumbers".length);
  first.store.set(`${LIVE}numpy-older.whl`, encoded("old"));
  first.store.set("https://course.example/another/_live/numpy.whl", encoded("not this site's"));
  const second = await loading(fine, first.store);
  assert.deepEqual([second.failed, second.asked, second.got], [undefined, [], GOT]);
  assert.ok(!second.store.has(`${LIVE}numpy-older.whl`));
  assert.ok(second.store.has("https://course.example/another/_live/numpy.whl"));
});

test("a kept file with another checksum is fetched anew", async () => {
  const { store } = await loading(fine);
  store.set(`${LIVE}numpy.whl`, encoded("NUMBERS"));
  const { asked, got } = await loading(fine, store);
  assert.deepEqual(asked, [["numpy.whl", "default"]]);
  assert.deepEqual(got, GOT);
  assert.deepEqual(store.get(`${LIVE}numpy.whl`), encoded("numbers"));
});

test("what a browser's cache has of another edition is asked for once more, past the cache", async () => {
  const { failed, asked, arrived } = await loading((name, cache) => (name === "numpy.whl" && cache === "default" ? "NUMBERS, older" : SITE[name]));
  assert.equal(failed, undefined);
  assert.deepEqual(asked.filter(([name]) => name === "numpy.whl"), [["numpy.whl", "default"], ["numpy.whl", "reload"]]);
  assert.equal(arrived.at(-1), "loadscomputesnumbers".length);
});

test("a file that is another one, is not there or does not come is an error in words, and is not kept", async () => {
  const other = await loading((name) => (name === "numpy.whl" ? "NUMBERS" : SITE[name]));
  assert.match(other.failed, /_live\/numpy\.whl is not the file that this page was published with: .*Reload the page/);
  assert.ok(!other.store.has(`${LIVE}numpy.whl`));
  assert.deepEqual(other.got, []);
  assert.match((await loading((name) => (name === "numpy.whl" ? null : SITE[name]))).failed, /numpy\.whl did not come: 404 Not Found; .*reload the page/);
  assert.match((await loading(() => new TypeError("Failed to fetch"))).failed, /did not come: there is no network/);
});

test("a browser that keeps nothing, and a site without https, load all the same", async () => {
  const refuses = { caches: { open: async () => { throw new Error("SecurityError"); } } };
  assert.equal((await loading(fine, new Map(), refuses)).failed, undefined);
  assert.equal((await loading(fine, new Map(), { caches: undefined, crypto: {} })).failed, undefined);
  const cut = await loading((name) => SITE[name].slice(1), new Map(), { caches: undefined, crypto: {} });
  assert.match(cut.failed, /is not the file/);
});

test("a page in a file's place is told from the file, and a second Python has nothing of a first that was ended", async () => {
  own("fetch", async () => new Response("<!doctype html><title>Welcome</title>", { headers: { "content-type": "text/html" } }));
  await assert.rejects(json(`${LIVE}files.json`), /files\.json is another file than this page asked for; .*reload the page/);
  await assert.rejects(script(`${LIVE}worker.js`), /worker\.js came as text\/html; .*reload the page/);
  own("fetch", async () => new Response('{"a": 1}'));
  assert.deepEqual(await json(`${LIVE}files.json`), { a: 1 });
  own("fetch", async () => new Response("run()", { headers: { "content-type": "text/javascript; charset=utf-8" } }));
  assert.equal(await script(`${LIVE}worker.js`), "run()");
  own("fetch", async () => new Response(encoded("loads")));
  const ended = new AbortController(), heard = [];
  ended.abort();
  await load(LIVE, ASKED.slice(0, 1), (bytes) => heard.push(bytes), ended.signal);
  assert.deepEqual(heard, []);
});

test("a connection that breaks within a file is said, with the file and what to do; a store that breaks is none", async () => {
  const half = () => new Response(new ReadableStream({ start: (to) => to.enqueue(encoded("num")), pull: (to) => to.error(new TypeError("network error")) }));
  Object.entries({ caches: undefined, fetch: async (address) => (address.endsWith(".whl") ? half() : new Response(encoded(SITE[address.slice(LIVE.length)]))) }).forEach(([name, value]) => own(name, value));
  await assert.rejects(load(LIVE, ASKED, () => {}), /_live\/numpy\.whl came only in part: the connection broke\. Run a cell/);
  const breaks = { keys: async () => [], match: async () => { throw new Error("internal"); }, put: async () => {} };
  assert.equal((await loading(fine, new Map(), { caches: { open: async () => breaks } })).failed, undefined);
});

test("a kept file that cannot be read is fetched anew", async () => {
  const breaks = { keys: async () => [], match: async () => ({ arrayBuffer: () => Promise.reject(new TypeError("Failed to fetch")) }), put: async () => {} };
  const { failed, asked } = await loading(fine, new Map(), { caches: { open: async () => breaks } });
  assert.deepEqual([failed, asked.length], [undefined, 3]);
});
