"""What lies beside the book so that its pages run? Python for browsers, NumPy, the course, and an editor.

    python book/live/build.py DIRECTORY_WITH_WHEELS [_build/html [_build/live]]

The built book is copied; what its pages load to run goes into `_live/` of the copy, and each page with cells
gets the script that offers to run them. The wheels are those of NumPy, and of whatever else pages shall draw
with, for the Pyodide of package.json; nothing is fetched here.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from myst_nb.core.read import read_myst_markdown_notebook
from myst_parser.config.main import MdParserConfig
from sphinx_external_toc.parsing import parse_toc_yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MODULES = HERE / "node_modules"
CORE = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
COURSE = (
    "book/course/**/*.py",
    "book/course/*.cu",
    "book/course/*.h",
    "book/live/*.py",
    "tests/hardware/**/*.json",
    "tests/hardware/*.py",
)
SHEET = '<link rel="stylesheet" href="{up}_live/live.css">\n</head>'
SCRIPT = (
    '<script src="{up}_live/live.js" data-cells="{page}.json" data-bytes="{size}" defer></script>\n</body>'
)


def cells_of(page: Path) -> dict[str, dict[int, Any]]:
    """The cells of code of a page, by their place among all its cells, and which of them make a puzzle.

    A puzzle is known by the cell that a reader changes: with the hidden one before it, which imports what it
    needs, and the one behind it, which replies.
    """
    notebook = read_myst_markdown_notebook(page.read_text(encoding="utf-8"), MdParserConfig())
    code = {place: cell for place, cell in enumerate(notebook.cells) if cell.cell_type == "code"}
    places = [*code]
    puzzles = {
        place: places[at - 1 : at + 2]
        for at, place in enumerate(places)
        if "puzzle" in code[place].metadata.get("tags", [])
    }
    return {"cells": {place: cell.source for place, cell in code.items()}, "puzzles": puzzles}


def pack(into: Path) -> None:
    """What pages import beside the package, as one archive."""
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted({path for pattern in COURSE for path in ROOT.glob(pattern)}):
            archive.write(path, path.relative_to(ROOT))


def wheel_of_the_package(into: Path) -> Path:
    with tempfile.TemporaryDirectory() as made:
        command = [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "-w",
            made,
            ROOT,
        ]
        subprocess.run(command, check=True)
        (wheel,) = Path(made).glob("gpusim-*.whl")
        return Path(shutil.copy(wheel, into))


def licences(packages: list[Path]) -> str:
    """Under which licences is what a browser loads? Each with its text, where that comes along."""
    parts = []
    for about in sorted(MODULES.glob("**/package.json")):
        package = json.loads(about.read_text(encoding="utf-8"))
        if "version" not in package or "esbuild" in package["name"]:
            continue  # what bundles is not loaded
        texts = [path.read_text(encoding="utf-8") for path in sorted(about.parent.glob("LICENSE*"))]
        parts.append((f"{package['name']} {package['version']}: {package.get('license', '')}", *texts))
    for wheel in packages:
        with zipfile.ZipFile(wheel) as archive:
            named = [name for name in archive.namelist() if re.search(r"dist-info/(licenses/)?LICENSE", name)]
            parts.append((wheel.name, *(archive.read(name).decode() for name in sorted(named))))
    return "\n\n".join("\n\n".join(part) for part in parts) + "\n"


def main(wheels: Path, book: Path = ROOT / "_build" / "html", site: Path = ROOT / "_build" / "live") -> None:
    """Make `site` of `book`, with the wheels of a folder."""
    packages = sorted(wheels.glob("*.whl"))
    if not any(wheel.name.startswith("numpy-") for wheel in packages):
        sys.exit(
            f"no numpy-….whl lies in {wheels}: live pages need NumPy for Pyodide, from Pyodide's release"
        )
    if not (MODULES / "pyodide").is_dir():
        sys.exit(f"{MODULES} has no pyodide: npm ci --prefix {HERE.relative_to(ROOT)}")
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(book, site)
    live = site / "_live"
    (live / "pyodide").mkdir(parents=True)
    for name in CORE:
        shutil.copy(MODULES / "pyodide" / name, live / "pyodide")
    for name in ("worker.js", "live.js", "live.css"):
        shutil.copy(HERE / name, live)
    bundle = [
        MODULES / ".bin" / "esbuild",
        HERE / "editor.js",
        "--bundle",
        "--minify",
        "--format=iife",
        f"--outfile={live / 'editor.js'}",
        "--log-level=warning",
    ]
    subprocess.run(bundle, check=True)
    packages = [*(Path(shutil.copy(wheel, live)) for wheel in packages), wheel_of_the_package(live)]
    (live / "licences.txt").write_text(licences(packages), encoding="utf-8")
    pack(live / "course.zip")
    archives = [*((path.name, "/packages") for path in packages), ("course.zip", "/course")]
    core = [f"pyodide/{name}" for name in CORE]
    loaded = [live / name for name in [*core, *(name for name, _ in archives)]]
    sizes = [path.stat().st_size for path in loaded]
    files = {
        "kept": hashlib.sha256(b"".join(path.read_bytes() for path in loaded)).hexdigest()[:16],
        "core": core,
        "archives": [name for name, _ in archives],
        "places": [place for _, place in archives],
    }
    (live / "files.json").write_text(json.dumps(files))
    for document in parse_toc_yaml(ROOT / "_toc.yml"):
        page = site / f"{document}.html"
        text = page.read_text(encoding="utf-8")
        if "live-cell-" in text:
            name, up = Path(document).name, "../" * document.count("/")
            (live / f"{name}.json").write_text(json.dumps(cells_of(ROOT / f"{document}.md")))
            text = text.replace("</head>", SHEET.format(up=up))
            text = text.replace("</body>", SCRIPT.format(up=up, page=name, size=sum(sizes)))
            page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("say in which folder the wheels for Pyodide are: make live WHEELS=folder")
    main(*map(Path, sys.argv[1:]))
