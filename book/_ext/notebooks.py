"""How is a page downloaded as a notebook that runs? The theme's button offers it, and an archive of all.

Text is plain Markdown (`plain_markdown`) with the numbers of the build, code is folded where the page hides
it, and outputs are left to whoever runs it. What the notebooks import lies beside them in the archive.
"""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from languages import is_cell
from myst_nb.core.variables import format_plain_text
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from plain_markdown import Page, Pages
from sphinx.application import Sphinx

SOURCES, ARCHIVE, OFFERED = "_sources", "notebooks.zip", "notebook"
# what pages with code that a reader sees import and read
BESIDE = (
    "book/*.md",
    "book/course/**/*.py",
    *(f"book/course/*.{kind}" for kind in ("css", "cu", "h")),
    "book/_static/*.svg",
    *(f"tests/hardware/*.{kind}" for kind in ("json", "cu")),
)
# what JupyterLab folds of a cell with this tag
FOLDED = {
    "remove-cell": {"source_hidden": True},
    "remove-input": {"source_hidden": True},
    "hide-cell": {"source_hidden": True, "outputs_hidden": True},
}
ALL = {
    "type": "link",
    "text": "All notebooks (.zip)",
    "icon": "fas fa-box",
    "tooltip": "Download all notebooks, with what they import",
    "label": "download-all-button",
}
# what the theme calls by endings of files
CALLED = {
    "download-notebook-button": "This page as a notebook (.ipynb)",
    "download-source-button": "This page’s source (.md)",
    "download-pdf-button": "Print, or save as PDF",
}
NEEDS = """\
> **To run this notebook** you need JupyterLab, and gpusim with two extras. In a clone of the course's
> repository:
>
> ```sh
> python -m pip install jupyterlab --editable ".[cpp,widgets]"
> ```
>
> The cells import `course`, which is in the clone, too. If your gpusim comes from elsewhere, take all
> notebooks from the book (the download button of each page), unpack `notebooks.zip`, and open this one there.
> Then run all cells. What the text calls tabs are cells one below the other here; three dots stand for code
> that the page hides."""
FIND = """\
import os
import sys
from pathlib import Path

import gpusim

for place in (Path.cwd(), Path(gpusim.__file__).parents[1]):  # beside this notebook, or in the clone
    sys.path.append(str(place / "book"))
import course  # not there? The text above says where to get it

os.chdir(Path(course.__file__).parents[1])  # as the page, which names files that lie beside it"""


def converted(executed: nbformat.NotebookNode, page: Page) -> nbformat.NotebookNode:
    """The notebook of a page that was run."""
    title, _, text = page.plain(executed.cells[0].source).partition("\n")
    cells = [new_markdown_cell(f"{title}\n\n{NEEDS}"), new_code_cell(FIND), new_markdown_cell(text.strip())]
    for cell in executed.cells[1:]:
        if cell.cell_type == "markdown":
            cells.append(new_markdown_cell(page.plain(cell.source)))
            continue
        if prompt := cell.metadata.get("mystnb", {}).get("code_prompt_show"):
            cells.append(new_markdown_cell(f"*{prompt}:*"))
        cells.append(new_code_cell(cell.source, metadata=metadata(cell.metadata.get("tags", []))))
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"  # the same in every build
    about = {
        name: executed.metadata[name] for name in ("kernelspec", "language_info") if name in executed.metadata
    }
    return new_notebook(cells=cells, metadata=about)


def metadata(tags: list[str]) -> dict[str, Any]:
    """What JupyterLab and nbval are told of a cell."""
    folded = next((FOLDED[tag] for tag in tags if tag in FOLDED), {})
    return {"jupyter": folded, "tags": [tag for tag in tags if tag.startswith("nbval-")]}


def glued(executed: Path) -> dict[str, str]:
    """The values that the page glues, as text."""
    known = executed.with_suffix(".glue.json")
    values = json.loads(known.read_text(encoding="utf-8")) if known.exists() else {}
    return {name: format_plain_text(value["data"]["text/plain"], "s") for name, value in values.items()}


def note_code(app: Sphinx, doctree: nodes.document) -> None:
    """Keep whether the page shows code, for it and for those that link to it."""
    if any("tag_remove-input" not in cell["classes"] for cell in doctree.findall(is_cell)):
        app.env.metadata[app.env.docname][OFFERED] = True


def offer(app: Sphinx, document: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Lay the notebook of a page beside its source, where the theme's button looks."""
    if OFFERED not in app.env.metadata.get(document, {}):
        return
    folder, name = Path(document).parent, Path(document).name
    offered = frozenset(Path(page).name for page, known in app.env.metadata.items() if OFFERED in known)
    pages = Pages(Path(app.srcdir) / folder, offered, os.environ.get("BOOK_ADDRESS", ""))
    executed = Path(app.outdir).parent / "jupyter_execute" / f"{document}.ipynb"
    place = Path(app.outdir) / SOURCES / f"{document}.ipynb"
    place.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(
        converted(nbformat.read(executed, as_version=4), Page(name, pages, glued(executed))), place
    )
    context["ipynb_source"] = f"{document}.ipynb"


def offer_all(app: Sphinx, document: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Add the archive to the theme's button, which says what each file is."""
    for group in context.get("header_buttons", []):
        if group["label"] != "download-buttons":
            continue
        for button in group["buttons"]:
            button["text"] = CALLED[button["label"]]
        if "ipynb_source" in context:
            group["buttons"].insert(1, {**ALL, "url": f"{context['pathto'](SOURCES, 1)}/{ARCHIVE}"})


def pack(app: Sphinx, exception: Exception | None) -> None:
    """Put all notebooks, and what they import, into the archive."""
    offered = [page for page, known in app.env.metadata.items() if OFFERED in known]
    if exception or not offered:
        return
    root, sources = Path(app.srcdir), Path(app.outdir) / SOURCES
    with zipfile.ZipFile(sources / ARCHIVE, "w", zipfile.ZIP_DEFLATED) as archive:
        for page in sorted(offered):
            archive.write(sources / f"{page}.ipynb", f"notebooks/{Path(page).name}.ipynb")
        for path in sorted({path for pattern in BESIDE for path in root.glob(pattern)}):
            archive.write(path, f"notebooks/{path.relative_to(root).as_posix()}")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", note_code)
    app.connect("html-page-context", offer, priority=400)  # before the theme makes its buttons
    app.connect("html-page-context", offer_all, priority=600)
    app.connect("build-finished", pack)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
