// Runs the published cells of a page in the Python of a browser: node tests/live/cells_in_node.mjs LIVE < cells.json
// LIVE: what build.py lays beside the pages; cells.json: [[number, text] …]. Prints [[number, outputs] …].
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [live] = process.argv.slice(2);
const { loadPyodide } = createRequire(new URL("../../book/live/package.json", import.meta.url))("pyodide");
const python = await loadPyodide();
for (const name of readdirSync(live).filter((each) => /\.(whl|zip)$/.test(each)))
  python.unpackArchive(new Uint8Array(readFileSync(join(live, name))), "zip", { extractDir: name === "course.zip" ? "/course" : "/packages" });
const run = python.runPython(`
import json, sys
sys.path[:0] = ["/packages", "/course/book", "/course/book/live"]
from session import Session
from stand_ins import install
session = Session()
install(session.display)
lambda number, source: json.dumps([vars(each) for each in session.run(number, source)])
`);
const cells = JSON.parse(readFileSync(0, "utf-8"));
process.stdout.write(JSON.stringify(cells.map(([number, source]) => [number, JSON.parse(run(number, source))])));
