"""What may a page show of a submission? Nothing that runs, nothing that is fetched, and no hidden test.

Markdown and outputs are cleaned after they have become HTML, by `bleach` and an allow-list, in the marking
page and in feedback alike. Feedback shows what a student's own run shows.
"""

from __future__ import annotations

import re
import secrets
from contextlib import suppress
from html import escape
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote

import bleach
from jinja2 import pass_context
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from nbgrader.preprocessors import GetGrades, NbGraderPreprocessor
from traitlets import Integer

from classroom.formulas import mathml
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
UNSEEN = re.compile(r"<(/?)(script|style|template|title)\b[^<>]*>", re.IGNORECASE)
PICTURE = re.compile(r"data:image/(png|jpeg|gif);base64,[A-Za-z0-9+/=\s]*\Z")
LINK = re.compile(r"https?://", re.IGNORECASE)
MOST_SIZE = {"width": 2000, "height": 2000, "colspan": 100}  # a page that is wider hides what it says
SIZE = re.compile(r"[0-9]{1,4}")
# What has the text behind it read from right to left, as a character or by its number
TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
NUMBERED = re.compile(r"&#(?:x([0-9a-f]{1,8})|([0-9]{1,8}));?", re.IGNORECASE)
NO_PICTURE = "a picture that is not shown"
MOST_NESTED, MOST_TAGS = 200, 10_000
MOST_PARTS = 200  # of a tag: its attributes are compared with each other
QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
OPENS, PARTS = re.compile(r"<[A-Za-z/!?]"), re.compile(r"[\s/=]")
# Elements that have no inside, or end where the next one begins
NEVER_NESTED = frozenset(
    ("br", "dd", "dt", "hr", "img", "input", "li", "link", "meta", "p", "td", "th", "tr")
)
MOST_MARKDOWN = 40_000  # characters of a cell; nbconvert takes the square of their number for formulas
SHOWN = ("text/plain", "text/html", "image/png", "image/jpeg")
HIDDEN_FAILED = (
    "The check above passes. After you handed in, it ran with other inputs and on other devices as well, "
    "and did not give all points."
)
HIDDEN_GAVE_LESS = (
    "After you handed in, this check ran with other inputs and on other devices as well. "
    "There it gave fewer points than above."
)
FAILED_APART = (
    "The check above passes. Where it was graded, with other numbers of the same kind, it did not give all "
    "points."
)
LOOKS_AT = " Your instructor {} at it."
NOT_MARKED = "not marked yet"
UNTOUCHED = "No response."  # nbgrader's word on each answer that is as it was; its check says more
NOT_RUN = "This check was not graded by the machine."


def _allowed(tag: str, name: str, value: str) -> bool:
    if most := MOST_SIZE.get(name):
        size = SIZE.fullmatch(value)
        return name in ATTRIBUTES.get(tag, ()) and bool(size) and int(value) <= most
    if tag == "img" and name == "src":
        return bool(PICTURE.match(value))
    if tag == "a" and name == "href":
        return bool(LINK.match(value))
    return name in ATTRIBUTES.get(tag, ())


def without_unseen(html: str) -> str:
    """Without elements that no browser shows as text: `bleach` takes their tags, and leaves what they hold.

    >>> without_unseen("<p>4</p><script>{}</script><style>p {}</style><template>t</template> of 5 <script>")
    '<p>4</p> of 5 <script>'
    """
    kept, end, opened = [], 0, None
    for tag in UNSEEN.finditer(html):
        closes, name = tag[1] == "/", tag[2].lower()
        if opened is None and not closes:
            opened = (name, tag.start())
        elif opened is not None and closes and name == opened[0]:
            kept.append(html[end : opened[1]])
            end, opened = tag.end(), None
    return "".join([*kept, html[end:]])


def in_order(text: str) -> str:
    r"""The text as it is written: what would turn its order is a mark that is seen.

    >>> in_order("a\u202eb")
    'a[U+202E]b'
    """
    return TURNS.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)


def _unnumbered(found: re.Match[str]) -> str:
    """A character that turns a text, for its number; every other number stays."""
    code = int(found[1], 16) if found[1] else int(found[2])
    turns = code < 0x10FFFF and TURNS.match(chr(code))
    return chr(code) if turns else found[0]


class _Nested(HTMLParser):
    """How deep do elements lie in each other? An end counts for the innermost one only."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open, self.most = list[str](), 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, _attributes: Any) -> None:
        if tag not in NEVER_NESTED:
            self.open.append(tag)
            self.most = max(self.most, len(self.open))

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()


def _is_heavy(html: str) -> bool:
    """Does the time to clean it grow with the square of its length? So no page of a run is."""
    if len(OPENS.findall(html)) > MOST_TAGS:
        return True
    for piece in html.split(">"):  # from a tag's beginning to its end, or to that of the text
        opened = OPENS.search(piece)
        if opened and len(PARTS.findall(QUOTED.sub("", piece[opened.start() :]))) > MOST_PARTS:
            return True
    return _Nested(html).most > MOST_NESTED


def harmless(html: str) -> str:
    """The HTML, without what is not on the list. What takes long to clean is shown as a text."""
    html = in_order(NUMBERED.sub(_unnumbered, without_unseen(html)))
    if _is_heavy(html):
        return f"<pre>{escape(html)}</pre>"
    cleaned: str = bleach.clean(
        html, tags=TAGS, attributes=_allowed, protocols=("http", "https", "data"), strip=True
    )
    return cleaned


class _Renderer(IPythonRenderer):
    """Keeps each formula aside, with a mark in its place: what is cleaned has no tags of MathML."""

    def __init__(self, attachments: dict[str, dict[str, str]]) -> None:
        super().__init__(escape=False, exclude_anchor_links=True, attachments=attachments)
        self.formulas: dict[str, str] = {}  # by a mark that no text can know

    def _aside(self, formula: str, *, block: bool) -> str:
        mark = f"formula-{secrets.token_hex(16)}-"
        self.formulas[mark] = mathml(formula, block=block)
        return mark

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """A picture that was pasted is among the attachments, or is not shown."""
        name = unquote(url.removeprefix("attachment:"))
        if name == url:
            return super().image(text, url, title)
        if name not in self.attachments:
            return NO_PICTURE
        return super().image(text, f"attachment:{name}", title)

    def inline_math(self, body: str) -> str:
        return self._aside(body, block=False)

    def block_math(self, body: str) -> str:
        return self._aside(body, block=True)

    def latex_environment(self, name: str, body: str) -> str:
        return self._aside(f"\\begin{{{name}}}{body}\\end{{{name}}}", block=True)


@pass_context
def markdown_of(_context: Any, source: str) -> str:
    """nbconvert's `markdown2html`, cleaned; formulas are MathML."""
    source = source if len(source) <= MOST_MARKDOWN else source[:MOST_MARKDOWN] + CUT
    source = in_order(source)  # formulas are not cleaned as the rest is
    renderer = _Renderer(_context.get("cell", {}).get("attachments", {}))
    html = harmless(MarkdownWithMath(renderer=renderer).render(source))
    for mark, formula in renderer.formulas.items():
        html = html.replace(mark, formula)
    return html


def pictures_of(attachments: Any) -> dict[str, dict[str, str]]:
    """Pictures of dots that were pasted into a text: {name: {kind: data}}."""
    found: dict[str, dict[str, str]] = {}
    for name, kinds in attachments.items() if isinstance(attachments, dict) else ():
        pictures = {
            kind: data
            for kind, data in (kinds.items() if isinstance(kinds, dict) else ())
            if isinstance(data, str) and PICTURE.match(f"data:{kind};base64,{data}")
        }
        if pictures:
            found[name] = pictures
    return found


class Harmless(NbGraderPreprocessor):
    """Outputs that cannot do anything: text, pictures of dots, and cleaned HTML, none of them long."""

    most_characters = Integer(200 * 1024).tag(config=True)

    def preprocess_cell(self, cell: NotebookNode, resources: Any, index: int) -> tuple[NotebookNode, Any]:
        if pictures := pictures_of(cell.pop("attachments", {})):
            cell.attachments = NotebookNode(pictures)
        if cell.cell_type == "raw":
            cell.cell_type = "markdown"
            cell.source = "\n".join(f"    {line}" for line in cell.source.splitlines())
        if cell.cell_type == "code":
            cell.outputs = [_cleaned(each, self.most_characters) for each in cell.outputs]
        return cell, resources


class InOrder(NbGraderPreprocessor):
    """Code as Python reads it, on the pages only: what would turn its order is a mark that is seen."""

    def preprocess_cell(self, cell: NotebookNode, resources: Any, index: int) -> tuple[NotebookNode, Any]:
        cell.source = in_order(cell.source)
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
        if "text/plain" in data:
            data["text/plain"] = in_order("".join(data["text/plain"]))
        output.data = NotebookNode(data or {"text/plain": CUT})
        output.metadata = NotebookNode()
    for part in ("text", "evalue"):
        if part in output:
            output[part] = in_order("".join(output[part]))
    if "traceback" in output:
        output.traceback = [*map(in_order, output.traceback)]
    return output


class Points(GetGrades):
    """What feedback says of points: one that is still to be given is no zero, and does not count yet."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        self._open: dict[str, float] = {}
        self._decided = False
        nb, resources = super().preprocess(nb, resources)
        known = nb.metadata.setdefault(KEY, NotebookNode())
        known["decided"] = self._decided
        for cell in nb.cells:
            told = nbgrader_of(cell)
            if told.get("comment") == UNTOUCHED and (known.get("unread") or not told.get("grade")):
                told["comment"] = None
            if told.get("grade") and told["score"] is None:
                told["comment"] = None
                resources["nbgrader"]["max_score"] -= told["points"]
                resources["nbgrader"]["score"] -= self._open[told["grade_id"]]
        return nb, resources

    def _get_score(self, cell: NotebookNode, resources: Any) -> None:
        super()._get_score(cell, resources)
        told = nbgrader_of(cell)
        names = (told["grade_id"], self.notebook_id, self.assignment_id, self.student_id)
        grade = self.gradebook.find_grade(*names)
        self._decided |= is_check(cell) and grade.manual_score is not None and not grade.needs_manual_grade
        if grade.needs_manual_grade:
            self._open[told["grade_id"]], told["score"] = told["score"], None


def points_of(score: float | None) -> float | str:
    """nbgrader's page takes what it shows through `float` and `round`, which make a zero of nothing."""
    return NOT_MARKED if score is None else float(score)


def rounded(shown: float | str, digits: int) -> float | str:
    return shown if isinstance(shown, str) else round(shown, digits)


class AsStudentsSeeIt(NbGraderPreprocessor):
    """Checks as they were released, what they say in the student's own run, and no notes for the marker."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        nb.cells = [each for each in nb.cells if not each.metadata.get(KEY, {}).get("note")]
        self._looks = LOOKS_AT.format("has looked" if nb.metadata.get(KEY, {}).get("decided") else "looks")
        for cell in nb.cells:
            if is_check(cell):
                known = cell.metadata.pop(KEY, {})
                cell.source = known.get("released", "")
                cell.outputs = [*known.get("seen", ())]
                less = FAILED_APART + self._looks if known.get("apart") else HIDDEN_FAILED
                self._say(cell, known.get("score"), less)
        nb.metadata.pop(KEY, None)
        return nb, resources

    def _say(self, cell: NotebookNode, score: float | None, less: str) -> None:
        most, told = float(nbgrader_of(cell)["points"]), ""
        partial = [given for each in cell.outputs if (given := _number(each)) is not None]
        cell.outputs = [each for each in cell.outputs if _number(each) is None]
        failed = any(each.output_type == "error" for each in cell.outputs)
        seen = 0.0 if failed else min([most, *partial])
        if score is None:
            told = NOT_RUN + self._looks
        elif score < seen:
            told = less if seen == most else HIDDEN_GAVE_LESS
        if told:
            cell.outputs.append(NotebookNode(output_type="stream", name="stdout", text=told))


def _number(output: NotebookNode) -> float | None:
    """The partial credit that a check ends with. What it printed says the same in words."""
    if output.output_type == "execute_result":
        with suppress(ValueError):
            return float(str(output.data.get("text/plain")))
    return None
