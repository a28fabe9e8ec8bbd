// Runs tests in the Python of a browser: node tests/live/in_node.mjs WHEELS SITE [what pytest is told …]
// WHEELS: a folder with NumPy for Pyodide; SITE: one with pytest and Hypothesis, of Python alone.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const { loadPyodide } = createRequire(join(root, "book/live/package.json"))("pyodide");
const [wheels, site, ...told] = process.argv.slice(2);

const python = await loadPyodide();
for (const name of readdirSync(wheels).filter((each) => each.endsWith(".whl")))
  python.unpackArchive(new Uint8Array(readFileSync(join(wheels, name))), "zip", { extractDir: "/packages" });
for (const [place, folder] of [["/repository", root], ["/site", resolve(site)]]) {
  python.FS.mkdir(place);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, place);
}
python.globals.set("told", told);
process.exitCode = await python.runPythonAsync(`
import os, sys
sys.path[:0] = ["/packages", "/repository", "/repository/book", "/site"]
os.chdir("/repository")
import pytest
settings = ["-c", "/dev/null", "--rootdir", "/repository", "--import-mode=importlib", "--continue-on-collection-errors"]
int(pytest.main([*settings, "-p", "no:cacheprovider", "-p", "tests.live.needs_more", *told]))
`);
