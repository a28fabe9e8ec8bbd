// Modules compiled beforehand, by the Python that runs them: a page imports the course in half the time.
//
//     node book/live/compiled.mjs ARCHIVE…
//
// To each archive is added the .pyc of each module, marked as one that is not compared with its text. What no page
// imports is left out.
import { readFileSync, writeFileSync } from "node:fs";
import { loadPyodide } from "pyodide";

const python = await loadPyodide();
const compile = python.runPython(`
import importlib.util, marshal, re, struct, zipfile

UNCHECKED = 0b01  # a hash of the text, which nobody compares
LEFT_OUT = re.compile(r"gpusim/(frontends/cuda_cpp|grading|program)/|tests/")

def compile_all(archive):
    with zipfile.ZipFile(archive, "a", zipfile.ZIP_DEFLATED) as out:
        for name in out.namelist():
            if not name.endswith(".py") or LEFT_OUT.match(name):
                continue
            text = out.read(name)
            head = importlib.util.MAGIC_NUMBER + struct.pack("<I", UNCHECKED) + importlib.util.source_hash(text)
            code = marshal.dumps(compile(text, name, "exec", dont_inherit=True))  # an import names the place
            out.writestr(zipfile.ZipInfo(importlib.util.cache_from_source(name)), head + code, zipfile.ZIP_DEFLATED)

compile_all
`);
for (const [at, path] of process.argv.slice(2).entries()) {
  python.FS.writeFile(`/${at}.zip`, readFileSync(path));
  compile(`/${at}.zip`);
  writeFileSync(path, python.FS.readFile(`/${at}.zip`));
}
