// The Python of a live page, in a worker: a page that computes can still be scrolled, and stopped.
// Asked: {load}, files with their bytes, then {run: {number, source}} for each cell, {told: {control, value}} for a control. Answers: {outputs} or {failed}.
"use strict";

const AT = "https://python.invalid/"; // nothing is fetched there: Pyodide asks for its files by an address
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

async function load({ core, archives }) {
  const contents = new Map(core.map(({ name, content }) => [AT + name, content]));
  const script = (name) => importScripts(URL.createObjectURL(new Blob([contents.get(AT + name)], { type: "text/javascript" })));
  self.fetch = async (address) => {
    const url = String(address.url ?? address), type = url.endsWith(".wasm") ? "application/wasm" : "";
    return contents.has(url) ? new Response(contents.get(url), { headers: { "content-type": type } }) : Response.error();
  };
  script("pyodide/pyodide.js");
  script("pyodide/pyodide.asm.js");
  const python = await loadPyodide({ indexURL: `${AT}pyodide/` });
  for (const { content, into } of archives) python.unpackArchive(content, "zip", { extractDir: into });
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
