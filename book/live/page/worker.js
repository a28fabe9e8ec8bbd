// The Python of a live page, in a worker: a page that computes can still be scrolled, and stopped.
// Asked: {load}, then {run: {number, source}} for each cell, {told: {control, value}} for a control. Answers: {loaded} (bytes) as they come, then {outputs} or {failed}.
"use strict";

const STORE = "gpusim", base = new URL("..", self.location).href, network = self.fetch.bind(self);
let session = null;
const FIRST = `
import numpy as np
import gpusim
from gpusim import cuda

@cuda.jit
def first(x):
    x[cuda.grid(1)] += 1

with gpusim.profile() as run:
    first[1, 32](np.zeros(32))
gpusim.views.warp_player(run)._repr_mimebundle_()
del first, run
`;

/** What this browser keeps of the site, so that the next page fetches nothing; nothing on a site without https, or where a browser keeps nothing. */
async function storeOf(files) {
  try {
    const store = await caches.open(STORE), named = new Set(files.map(({ name }) => base + name));
    for (const { url } of await store.keys()) if (url.startsWith(base) && !named.has(url)) await store.delete(url);
    return store;
  } catch {
    return null;
  }
}

/** Is it the file that the page was published with? A site without https has no checksums, and its files their length. */
async function isRight({ bytes, sha256 }, content) {
  if (content.length !== bytes || !self.crypto?.subtle) return content.length === bytes;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("") === sha256;
}

/** The bytes that an address has now; how many have come is said as they come. */
async function fetched(address, cache, arrived) {
  const response = await network(address, { cache }).catch(() => null);
  if (!response) throw new Error(`${address} did not come: there is no network, or the site does not answer.`);
  if (!response.ok) throw new Error(`${address} did not come: ${response.status} ${response.statusText}.`);
  const parts = [], reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    arrived(value.length);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** A file's bytes: as they are kept, else as they come, else as they come when no cache is asked. */
async function bytesOf(file, store, arrived) {
  const address = base + file.name, kept = await store?.match(address);
  if (kept) {
    const content = new Uint8Array(await kept.arrayBuffer());
    if (await isRight(file, content)) return arrived(content.length), content;
  }
  for (const cache of ["default", "reload"]) {
    let came = 0;
    const content = await fetched(address, cache, (bytes) => ((came += bytes), arrived(bytes)));
    if (await isRight(file, content)) {
      await store?.put(address, new Response(content)).catch(() => {}); // a full store is none
      return content;
    }
    arrived(-came);
  }
  throw new Error(`${address} is not the file that this page was published with: the site has a newer edition, or the file was changed on its way. Reload the page.`);
}

/** Whoever made a cell, it reaches neither the network nor what this site keeps in the browser. */
function shut() {
  for (const name of ["caches", "indexedDB", "fetch", "XMLHttpRequest", "WebSocket", "EventSource", "BroadcastChannel", "Worker", "importScripts", "navigator"])
    for (let owner = self; owner; owner = Object.getPrototypeOf(owner)) if (Object.hasOwn(owner, name)) delete owner[name];
}

async function load({ core, archives }) {
  const files = [...core, ...archives], store = await storeOf(files);
  let loaded = 0;
  const arrived = (bytes) => postMessage({ loaded: (loaded += bytes) });
  const contents = new Map(await Promise.all(files.map(async (file) => [base + file.name, await bytesOf(file, store, arrived)])));
  // Pyodide gets the bytes that were looked at, and whatever else it asks for is not there
  const script = (name) => importScripts(URL.createObjectURL(new Blob([contents.get(base + name)], { type: "text/javascript" })));
  self.fetch = async (address) => {
    const url = new URL(address.url ?? address, self.location).href, type = url.endsWith(".wasm") ? "application/wasm" : "";
    return contents.has(url) ? new Response(contents.get(url), { headers: { "content-type": type } }) : Response.error();
  };
  script("pyodide/pyodide.js");
  script("pyodide/pyodide.asm.js");
  const python = await loadPyodide({ indexURL: `${base}pyodide/` });
  for (const { name, into } of archives) python.unpackArchive(contents.get(base + name), "zip", { extractDir: into });
  session = python.runPython(`
import importlib, json, sys
sys.path[:0] = ["/packages", "/course/book", "/course/book/live"]
importlib.invalidate_caches()
from session import Session
from stand_ins import install
session = Session()
install(session.display)

def answer(asked):
    asked = json.loads(asked)
    if "told" in asked:
        return json.dumps(session.told(**asked["told"]))
    return json.dumps([vars(each) for each in session.run(**asked["run"])])

answer
`);
  shut();
}

onmessage = async ({ data }) => {
  try {
    if (data.load) await load(data.load);
    postMessage({ outputs: data.load ? [] : JSON.parse(session(JSON.stringify(data))) });
    if (data.load) session(JSON.stringify({ run: { number: 0, source: FIRST } })); // while the reader reads: a first launch imports much
  } catch (error) {
    const words = String(error.message ?? error);
    postMessage({ failed: data.load ? words : `Python broke down: ${words}.` });
  }
};
