// The Python of a live page, in a worker: a page that computes can still be scrolled, and stopped.
// Asked: {load}, then {run: {number, source}} for each cell, {told: {control, value}} for a control. Answers: {loaded} (bytes) as they come, then {outputs} or {failed}.
"use strict";

const KEPT = "gpusim ", network = self.fetch.bind(self), storing = [];
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

/** What is fetched stays in this browser until the site has other files: the next page, and Pyodide itself, find it there. */
async function keep(name) {
  let store;
  try {
    for (const old of await caches.keys()) if (old.startsWith(KEPT) && old !== name) await caches.delete(old);
    store = await caches.open(name);
  } catch {
    return; // a site without https, or a browser that keeps nothing
  }
  self.fetch = async (address, ...how) => {
    const found = await store.match(address);
    if (found) return found;
    const response = await network(address, { ...how[0], cache: "reload" }); // not what another version left
    if (response.ok) storing.push(store.put(address, response.clone()).catch(() => {})); // a full store is none
    return response;
  };
}

/** Whoever made a cell, it reaches neither the network nor what this site keeps in the browser. */
function shut() {
  for (const name of ["caches", "indexedDB", "fetch", "XMLHttpRequest", "WebSocket", "EventSource", "BroadcastChannel", "Worker", "importScripts", "navigator"])
    for (let owner = self; owner; owner = Object.getPrototypeOf(owner)) if (Object.hasOwn(owner, name)) delete owner[name];
}

/** The bytes of a file beside this one; how many have come is said as they come. */
async function fetched(name, arrived) {
  const response = await fetch(name);
  if (!response.ok) throw new Error(`${name} did not come: ${response.status} ${response.statusText}`);
  const parts = [], reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    arrived(value.length);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function load(files) {
  await keep(KEPT + files.kept);
  let loaded = 0;
  const arrived = (bytes) => postMessage({ loaded: (loaded += bytes) });
  const [archives] = await Promise.all([
    Promise.all(files.archives.map((name) => fetched(name, arrived))),
    Promise.all(files.core.map((name) => fetched(name, arrived))),
  ]);
  await Promise.all(storing); // what Pyodide fetches once more, it finds there
  importScripts("pyodide/pyodide.js");
  const python = await loadPyodide({ indexURL: new URL("pyodide/", self.location).href });
  archives.forEach((bytes, place) => python.unpackArchive(bytes, "zip", { extractDir: files.places[place] }));
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
    if (data.load) session(JSON.stringify({ run: { number: -1, source: FIRST } })); // while the reader reads: a first launch imports much
  } catch (error) {
    postMessage({ failed: String(error.message ?? error) });
  }
};
