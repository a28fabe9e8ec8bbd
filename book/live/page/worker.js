// The Python of a live page, in a worker: a page that computes can still be scrolled, and stopped.
// Asked: {load}, files with their bytes, then {run: {number, source, checks, claims}} for each cell (session.py),
// {told: {control, value}} for a control, {plan: {texts, number, last, source}} for the cells to run (ran.py). Answers,
// over the port of the question: {outputs} or {failed}. After {load} it asks itself {warm}: a first launch. A cell that
// closes its worker, by `js.close()`, is waited for until the reader presses Stop: no browser tells of that.
"use strict";

const AT = "https://python.invalid/"; // nothing is fetched there: Pyodide asks for its files by an address
let session = null;

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
    if "plan" in asked:
        return json.dumps(session.plan(**asked["plan"]))
    if "warm" in asked:
        return json.dumps([vars(each) for each in session.warm_up()])
    return json.dumps([vars(each) for each in session.run(**asked["run"])])

answer
`);
}

onmessage = async ({ data, ports: [port] }) => {
  try {
    if (data.load) await load(data.load);
    port.postMessage({ outputs: data.load ? [] : JSON.parse(session(JSON.stringify(data))) });
    if (data.load) session(JSON.stringify({ warm: true })); // while the reader reads
  } catch (error) {
    const words = String(error.message ?? error).trim().split("\n").at(-1); // of a traceback what it ends with
    port.postMessage({ failed: data.load ? words : `Python broke down: ${words}.` });
  }
};
