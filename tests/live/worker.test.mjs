// What does a page's worker take for the file that the page was published with? `worker.js`, with a browser made of a few lines.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";

const WORKER = readFileSync(new URL("../../book/live/page/worker.js", import.meta.url), "utf-8");
const LIVE = "https://course.example/_live/";
const encoded = (text) => new TextEncoder().encode(text);
const published = (name, text, more = {}) => ({ name, bytes: text.length, sha256: createHash("sha256").update(text).digest("hex"), ...more });
const ASKED = {
  core: [published("pyodide/pyodide.js", "loads"), published("pyodide/pyodide.asm.js", "computes")],
  archives: [published("numpy.whl", "numbers", { into: "/packages" })],
};
const SITE = { "pyodide/pyodide.js": "loads", "pyodide/pyodide.asm.js": "computes", "numpy.whl": "numbers" };

/** A worker that loads: what it says, what it asks the site for, and what it unpacks. `site(name, cache)` gives a text or none. */
async function loading(site, store = new Map(), more = {}) {
  const said = [], asked = [], unpacked = [];
  const kept = {
    match: async (address) => store.has(address) ? new Response(store.get(address)) : undefined,
    put: async (address, response) => void store.set(address, new Uint8Array(await response.arrayBuffer())),
    delete: async (address) => store.delete(address),
    keys: async () => [...store.keys()].map((url) => ({ url })),
  };
  const python = { runPython: () => () => "[]", unpackArchive: (bytes, _, { extractDir }) => unpacked.push([new TextDecoder().decode(bytes), extractDir]) };
  const self = {
    Blob, Map, Promise, Response, Set, URL, Uint8Array, crypto: globalThis.crypto,
    caches: { open: async () => kept }, location: `${LIVE}0123/worker.js`, importScripts: () => {}, loadPyodide: async () => python,
    postMessage: (message) => said.push(message),
    fetch: async (address, { cache }) => {
      const name = address.slice(LIVE.length), text = site(name, cache);
      asked.push([name, cache]);
      if (text instanceof Error) throw text;
      return text == null ? new Response("", { status: 404, statusText: "Not Found" }) : new Response(encoded(text));
    },
    ...more,
  };
  self.self = self;
  createContext(self);
  runInContext(WORKER, self);
  await self.onmessage({ data: { load: ASKED } });
  const failed = said.find((message) => "failed" in message)?.failed;
  return { said, asked, unpacked, failed, store };
}

const fine = (name) => SITE[name];

test("a first visit fetches each file once and keeps it; a second fetches none, and forgets what the site no longer has", async () => {
  const first = await loading(fine);
  assert.deepEqual([first.failed, first.asked.length, first.unpacked], [undefined, 3, [["numbers", "/packages"]]]);
  assert.equal(first.said.filter(({ loaded }) => loaded).at(-1).loaded, "loadscomputesnumbers".length);
  first.store.set(`${LIVE}numpy-older.whl`, encoded("old"));
  first.store.set("https://course.example/another/_live/numpy.whl", encoded("not this site's"));
  const second = await loading(fine, first.store);
  assert.deepEqual([second.failed, second.asked, second.unpacked], [undefined, [], [["numbers", "/packages"]]]);
  assert.ok(!second.store.has(`${LIVE}numpy-older.whl`));
  assert.ok(second.store.has("https://course.example/another/_live/numpy.whl"));
});

test("a kept file with another checksum is fetched anew", async () => {
  const { store } = await loading(fine);
  store.set(`${LIVE}numpy.whl`, encoded("NUMBERS"));
  const { asked, unpacked } = await loading(fine, store);
  assert.deepEqual(asked, [["numpy.whl", "default"]]);
  assert.deepEqual(unpacked, [["numbers", "/packages"]]);
  assert.deepEqual(store.get(`${LIVE}numpy.whl`), encoded("numbers"));
});

test("what a browser's cache has of another edition is asked for once more, past the cache", async () => {
  const { failed, asked, said } = await loading((name, cache) => (name === "numpy.whl" && cache === "default" ? "NUMBERS, older" : SITE[name]));
  assert.equal(failed, undefined);
  assert.deepEqual(asked.filter(([name]) => name === "numpy.whl"), [["numpy.whl", "default"], ["numpy.whl", "reload"]]);
  assert.equal(said.filter(({ loaded }) => loaded).at(-1).loaded, "loadscomputesnumbers".length);
});

test("a file that is another one, is not there or does not come is an error in words, and is not kept", async () => {
  const other = await loading((name) => (name === "numpy.whl" ? "NUMBERS" : SITE[name]));
  assert.match(other.failed, /_live\/numpy\.whl is not the file that this page was published with: .*Reload the page/);
  assert.ok(!other.store.has(`${LIVE}numpy.whl`));
  assert.deepEqual(other.unpacked, []);
  assert.match((await loading((name) => (name === "numpy.whl" ? null : SITE[name]))).failed, /numpy\.whl did not come: 404 Not Found/);
  assert.match((await loading(() => new TypeError("Failed to fetch"))).failed, /did not come: there is no network/);
});

test("a browser that keeps nothing, and a site without https, load all the same", async () => {
  const refuses = { caches: { open: async () => { throw new Error("SecurityError"); } } };
  assert.equal((await loading(fine, new Map(), refuses)).failed, undefined);
  assert.equal((await loading(fine, new Map(), { caches: undefined, crypto: {} })).failed, undefined);
  const cut = await loading((name) => SITE[name].slice(1), new Map(), { caches: undefined, crypto: {} });
  assert.match(cut.failed, /is not the file/);
});
