"""How does a page show a kernel in two languages? As tabs, and the reader's choice holds on every page.

In the Markdown, and so in JupyterLab, the kernel is two cells, and both run: one with a `@cuda.jit` and,
directly below it, one that begins with `%%cuda`. On the page the two are tabs of one set, and the second has
the colours of C++.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx_design.shared import create_component

MAGIC, KERNEL = "%%cuda", "@cuda.jit"
NUMBERED = "tag_numbered"  # a program of the host of whose lines the text and the pictures speak
GROUP = "language"  # ?language=cpp behind a page's address chooses, too
TABS = {"python": "Python", "cpp": "CUDA C++"}


def is_cell(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def source_of(cell: nodes.Node) -> nodes.literal_block | None:
    return next(cell.findall(nodes.literal_block), None)


def source_text(cell: nodes.Node) -> str:
    source = source_of(cell)
    return "" if source is None else source.astext()


def tab(language: str, cell: nodes.Node) -> nodes.container:
    """What sphinx-design makes of `{tab-item} … :sync:`, around a cell."""
    title = TABS[language]
    label = nodes.rubric(title, title, classes=["sd-tab-label"], sync_id=language, sync_group=GROUP)
    content = create_component("tab-content", classes=["sd-tab-content"], children=[cell])
    return create_component("tab-item", classes=["sd-tab-item"], children=[label, content])


class TwoLanguages(SphinxTransform):
    """Colour `%%cuda` cells, and put each into one set of tabs with the Python cell directly above it."""

    default_priority = 900

    def apply(self) -> None:
        for cell in [*self.document.findall(is_cell)]:
            source = source_of(cell)
            if source is not None and NUMBERED in cell["classes"]:
                source["linenos"] = True
            if source is None or not source_text(cell).startswith(MAGIC):
                continue
            source["language"] = "cuda"
            parent, place = cell.parent, cell.parent.index(cell)
            above = parent[place - 1] if place else None
            if above is not None and is_cell(above) and KERNEL in source_text(above):
                parent[place - 1 : place + 1] = []
                for kernel in (source_of(above), source):
                    kernel["linenos"] = True  # the text and the pictures speak of lines
                tabs = [tab(language, of) for language, of in zip(TABS, (above, cell), strict=True)]
                parent.insert(
                    place - 1, create_component("tab-set", classes=["sd-tab-set", "languages"], children=tabs)
                )


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_transform(TwoLanguages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
