"""What may a page show of a submission? Nothing that runs, nothing that is fetched, and no hidden test.

Markdown and outputs are cleaned after they have become HTML, by `bleach` and an allow-list, in the marking
page and in feedback alike. Feedback shows what a student's own run shows.
"""

from __future__ import annotations

import re
from typing import Any

import bleach
from jinja2 import pass_context
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Integer

from classroom.mending import KEY, is_check, nbgrader_of
from classroom.running import CUT, shortened

TAGS = frozenset(
    (
        *("a", "abbr", "b", "blockquote", "br", "caption", "code", "dd", "del", "div", "dl", "dt"),
        *("em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "kbd", "li", "ol", "p"),
        *("pre", "s", "span", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th"),
        *("thead", "tr", "tt", "u", "ul"),
    )
)
# No id, class, style or name: they could cover a button, or stand in for a field of the page
ATTRIBUTES = {
    "a": ["href", "title"],
    "img": ["src", "alt", "width", "height"],
    "td": ["colspan"],
    "th": ["colspan"],
}
PICTURE = re.compile(r"data:image/(png|jpeg|gif);base64,[A-Za-z0-9+/=\s]*\Z")
LINK = re.compile(r"https?://", re.IGNORECASE)
SHOWN = ("text/plain", "text/html", "image/png", "image/jpeg")
HIDDEN_FAILED = (
    "The check above passes. After you handed in, it ran with other inputs and on other devices as well, "
    "and did not give all points."
)
NOT_RUN = "This check was not graded by the machine. Your instructor looks at it."


def _allowed(tag: str, name: str, value: str) -> bool:
    if tag == "img" and name == "src":
        return bool(PICTURE.match(value))
    if tag == "a" and name == "href":
        return bool(LINK.match(value))
    return name in ATTRIBUTES.get(tag, ())


def harmless(html: str) -> str:
    """The HTML, without what is not on the list."""
    cleaned: str = bleach.clean(
        html, tags=TAGS, attributes=_allowed, protocols=("http", "https", "data"), strip=True
    )
    return cleaned


@pass_context
def markdown_of(_context: Any, source: str) -> str:
    """nbconvert's `markdown2html`, cleaned. Formulas are for MathJax, which nbconvert loads with `Safe`."""
    renderer = IPythonRenderer(escape=False, exclude_anchor_links=True)
    return harmless(MarkdownWithMath(renderer=renderer).render(source))


class Harmless(NbGraderPreprocessor):
    """Outputs that cannot do anything: text, pictures of dots, and cleaned HTML, none of them long."""

    most_characters = Integer(200 * 1024).tag(config=True)

    def preprocess_cell(self, cell: NotebookNode, resources: Any, index: int) -> tuple[NotebookNode, Any]:
        cell.pop("attachments", None)
        if cell.cell_type == "raw":
            cell.cell_type = "markdown"
            cell.source = "\n".join(f"    {line}" for line in cell.source.splitlines())
        if cell.cell_type == "code":
            cell.outputs = [_cleaned(each, self.most_characters) for each in cell.outputs]
        return cell, resources


def _cleaned(output: NotebookNode, most: int) -> NotebookNode:
    shortened(output, most)
    if "data" in output:
        data = {name: output.data[name] for name in SHOWN if name in output.data}
        if "text/html" in data:
            data["text/html"] = harmless("".join(data["text/html"]))
        for name in ("image/png", "image/jpeg"):
            if name in data and not PICTURE.match(f"data:{name};base64,{data[name]}"):
                del data[name]
        output.data = NotebookNode(data or {"text/plain": CUT})
        output.metadata = NotebookNode()
    return output


class AsStudentsSeeIt(NbGraderPreprocessor):
    """Checks as they were released, what they say in the student's own run, and no notes for the marker."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        nb.cells = [each for each in nb.cells if not each.metadata.get(KEY, {}).get("note")]
        for cell in nb.cells:
            if is_check(cell):
                known = cell.metadata.pop(KEY, {})
                cell.source = known.get("released", "")
                cell.outputs = [*known.get("seen", ())]
                self._say(cell, known.get("score"))
        nb.metadata.pop(KEY, None)
        return nb, resources

    def _say(self, cell: NotebookNode, score: float | None) -> None:
        passes = not any(each.output_type == "error" for each in cell.outputs)
        if score is None:
            told = NOT_RUN
        elif passes and score < float(nbgrader_of(cell)["points"]):
            told = HIDDEN_FAILED
        else:
            return
        cell.outputs.append(NotebookNode(output_type="stream", name="stdout", text=told))
