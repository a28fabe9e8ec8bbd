"""What lies beside the book so that its pages run? Python for browsers, NumPy, the course, and an editor.

    python book/live/build.py DIRECTORY_WITH_WHEEL [_build/html [_build/live]]

The built book is copied; what its pages load to run goes into `_live/` of the copy, and each page with cells
that a reader can change and a browser can run gets the script that offers to run them. The wheel in the
directory is NumPy, for the Pyodide of package.json; nothing is fetched here. Scripts, and the cells that they
know, lie in a folder named after what they are, so that a browser mixes no two editions of them; `files.json`
there has the checksum of each larger file.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from elsewhere import elsewhere
from myst_nb.core.read import read_myst_markdown_notebook
from myst_parser.config.main import MdParserConfig
from needs import Page
from policy import guarded
from session import is_cpp, without_magics
from sphinx_external_toc.parsing import parse_toc_yaml
from wheels import numpy_in

sys.path.append(str(Path(__file__).resolve().parents[1]))
from _ext.fresh_runs import changed_since

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MODULES = HERE / "node_modules"
CORE = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
COURSE = (
    "book/course/**/*.py",
    "book/course/*.css",
    "book/course/*.cu",
    "book/course/*.h",
    "book/_static/rooms.svg",
    "book/live/*.py",
    "tests/hardware/**/*.json",
    "tests/hardware/*.py",
)
NO_EDITOR = {"remove-cell", "remove-input", "puzzle-answer"}  # tags of cells that a reader does not change
EDITOR = "editor.js"  # the one script that is bundled
LOST = "lost.js"  # lies in each page's own text
LOST_SCRIPT = '<script data-root="{root}" data-lacks="run its cells">{text}</script>'
SHEET = '<link rel="stylesheet" href="{live}/live.css">'
NO_SCRIPT = (
    '<noscript><p class="live-bar">This page\'s kernels can be changed and run here, '
    "in your browser: that takes JavaScript.</p></noscript>"
)
SCRIPT = (
    '<script type="module" src="{live}/live.js" data-cells="{page}.json" data-bytes="{size}" '
    'data-names="{names}"></script>'
)


def names_of(sources: Iterable[str]) -> Iterator[str]:
    """A name for each cell, made of its text: changes are kept under it. Of equals, the second is `…-2`."""
    seen = Counter[str]()
    for source in sources:
        name = hashlib.sha256(source.encode()).hexdigest()[:12]
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name}-{seen[name]}"


def cells_of(page: Path) -> dict[str, Any]:
    """The cells of code of a page, by the number that Jupyter gives each, and which of them make a puzzle.

    `place` is that among all cells, of text, too, by which the page knows them. A puzzle is known by the cell
    that a reader changes: with the hidden one before it, which imports what it needs, and the one behind it,
    which replies. `elsewhere` are cells that no browser runs. `needs` are the cells that one needs, and it;
    none where it does not run in the order of the page: elsewhere, and in a puzzle. A page has `editors`
    if a reader can change a cell, and if its first one, which all others need, runs here.
    """
    notebook = read_myst_markdown_notebook(page.read_text(encoding="utf-8"), MdParserConfig())
    code = [(place, cell) for place, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    sources = [cell.source for _, cell in code]
    for number, source in enumerate(sources, 1):
        if error := unread(source):
            sys.exit(f"{page}, In[{number}], line {error.lineno}: {error.msg}")
    described = zip(names_of(sources), code, elsewhere(sources), strict=True)
    cells = {
        number: {
            "name": name,
            "place": place,
            "source": cell.source,
            "elsewhere": away,
            "needs": [],
            "editor": not away and NO_EDITOR.isdisjoint(cell.metadata.get("tags", [])),
        }
        for number, (name, (place, cell), away) in enumerate(described, 1)
    }
    puzzles = {
        number: [number - 1, number, number + 1]
        for number, (_, cell) in enumerate(code, 1)
        if "puzzle" in cell.metadata.get("tags", [])
    }
    apart = {of + part for of in puzzles for part in range(-1, 3)}  # the last is its solution
    order = [number for number, cell in cells.items() if not cell["elsewhere"] and number not in apart]
    lines = Page(cells[number]["source"] for number in order).lines
    for number, line in zip(order, lines, strict=True):
        cells[number]["needs"] = [order[place] for place in line]
    begins = bool(cells) and not cells[1]["elsewhere"]
    editors = begins and any(cell["editor"] for cell in cells.values())
    return {"cells": cells, "puzzles": puzzles, "editors": editors}


def unread(source: str) -> SyntaxError | None:
    """Why does Python not read a cell, if it does not?"""
    try:
        ast.parse("" if is_cpp(source) else without_magics(source))
    except SyntaxError as error:
        return error
    return None


def emptied(folder: Path, mark: str) -> Path:
    """Take away what was made there before, known by that mark; nothing that somebody else keeps there."""
    if folder.exists() and not (folder / mark).exists() and (folder.is_file() or any(folder.iterdir())):
        sys.exit(f"{folder} is no site that was made by this, it has no {mark}: empty it, or name another")
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def places_of(cells: dict[int, dict[str, Any]]) -> dict[str, tuple[int, int]]:
    """Which cells can a reader change? Name, number and place: where changes wait is said before a run."""
    return {cell["name"]: (number, cell["place"]) for number, cell in cells.items() if cell["editor"]}


def pack(into: Path) -> None:
    """What pages import beside the package, as one archive."""
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted({path for pattern in COURSE for path in ROOT.glob(pattern)}):
            archive.write(path, path.relative_to(ROOT))


def wheel_of_the_package(into: Path) -> Path:
    with tempfile.TemporaryDirectory() as made:
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
        subprocess.run([*pip, "-w", made, str(ROOT)], check=True)
        (wheel,) = Path(made).glob("gpusim-*.whl")
        return Path(shutil.copy(wheel, into))


def compiled(archives: list[Path]) -> None:
    """Add to archives what Pyodide compiles of their modules: a browser imports them twice as fast."""
    subprocess.run(["node", HERE / "compiled.mjs", *archives], check=True)


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


def loaded(live: Path, numpy: Path) -> dict[str, list[dict[str, Any]]]:
    """Lay beside the pages what a browser loads: of each file the name, length and checksum."""

    def described(name: str, **more: str) -> dict[str, Any]:
        content = (live / name).read_bytes()
        return {"name": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest(), **more}

    (live / "pyodide").mkdir(parents=True)
    for name in CORE:
        shutil.copy(MODULES / "pyodide" / name, live / "pyodide")
    package, course = wheel_of_the_package(live), live / "course.zip"
    packages = [Path(shutil.copy(numpy, live)), package]
    (live / "licences.txt").write_text(licences(packages), encoding="utf-8")
    pack(course)
    compiled([package, course])
    archives = [described(path.name, into="/packages") for path in packages]
    return {
        "core": [described(f"pyodide/{name}") for name in CORE],
        "archives": [*archives, described("course.zip", into="/course")],
    }


def scripts(into: Path) -> None:
    """Lay into a folder what pages themselves run, and how it looks."""
    for path in (HERE / "page").iterdir():
        if path.name not in (EDITOR, LOST):
            shutil.copy(path, into)
    how = ("--bundle", "--minify", "--format=iife", "--log-level=warning")
    esbuild = MODULES / ".bin" / "esbuild"
    subprocess.run([esbuild, HERE / "page" / EDITOR, *how, f"--outfile={into / EDITOR}"], check=True)


def edition(folder: Path) -> str:
    """A name for what lies in a folder: another one for other contents."""
    contents = [path.name.encode() + path.read_bytes() for path in sorted(folder.iterdir())]
    return hashlib.sha256(b"".join(contents)).hexdigest()[:12]


def main(numpy: Path, book: Path = ROOT / "_build" / "html", site: Path = ROOT / "_build" / "live") -> None:
    """Make `site` of `book`, with that wheel of NumPy."""
    if changed := changed_since(book, ROOT):
        sys.exit(f"{book} was built before {' and '.join(changed)} changed: make book, then this once more")
    if site.resolve().is_relative_to(book.resolve()) or book.resolve().is_relative_to(site.resolve()):
        sys.exit(f"{site} is to be a folder apart from {book}, which stays")
    shutil.copytree(book, emptied(site, "_live"))
    live = site / "_live"
    files = loaded(live, numpy)
    size = sum(file["bytes"] for part in files.values() for file in part)
    with tempfile.TemporaryDirectory(dir=live) as made:
        folder = Path(made) / "edition"
        folder.mkdir()
        scripts(folder)
        (folder / "files.json").write_text(json.dumps(files))
        pages = {}
        lost = (HERE / "page" / LOST).read_text(encoding="utf-8")
        for document in parse_toc_yaml(ROOT / "_toc.yml"):
            page, cells = site / f"{document}.html", cells_of(ROOT / f"{document}.md")
            if cells["editors"]:
                named = f"page.{document.replace('/', '.')}"  # no other page's, and no other file's
                pages[page] = "../" * document.count("/") or "./", named, places_of(cells["cells"])
                (folder / f"{named}.json").write_text(json.dumps(cells))
        name = edition(folder)
        folder.rename(live / name)
    for page, (up, named, places) in pages.items():
        text, at = page.read_text(encoding="utf-8"), f"{up}_live/{name}"
        text = text.replace("</head>", f"{SHEET.format(live=at)}\n</head>").replace(
            "</h1>", f"</h1>\n{NO_SCRIPT}", 1
        )
        names = escape(json.dumps(places, separators=(",", ":")))
        script = SCRIPT.format(live=at, page=named, size=size, names=names)
        script = f"{LOST_SCRIPT.format(root=up, text=lost)}\n{script}"
        page.write_text(guarded(text.replace("</body>", f"{script}\n</body>")), encoding="utf-8")


if __name__ == "__main__":
    main(numpy_in("".join(sys.argv[1:2])), *map(Path, sys.argv[2:]))
