"""Does anything that a student wrote run in the instructor's browser, or show a hidden test to the class?"""

from __future__ import annotations

import dataclasses
import re
import subprocess
import time
import warnings
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode, v4
from nbgrader.server_extensions.formgrader import handlers

from classroom import formulas
from classroom.course import Course, Late
from classroom.feedback import feedback
from classroom.pages import (
    ATTRIBUTES,
    HIDDEN_FAILED,
    HIDDEN_GAVE_LESS,
    LOOKS_AT,
    NOT_RUN,
    TAGS,
    AsStudentsSeeIt,
    Harmless,
    harmless,
    markdown_of,
    without_unseen,
)
from classroom.settings import config_of
from tests.browser.conftest import ARGUMENTS, installed_browser
from tests.classroom.conftest import Graded, hand_in
from tests.classroom.small_lab import LAB, SECRET
from tests.classroom.test_marking_server import saved

RAN = "document.documentElement.dataset.ran = 1"
TRIES = (
    f"<script>{RAN}</script>",
    f"<img src=x onerror='{RAN}'>",
    f"<svg onload='{RAN}'></svg>",
    f"<math><mtext><table><mglyph><style><img src=x onerror='{RAN}'>",
    f"[x](javascript:{RAN})",
    f"[x](java\nscript:{RAN})",
    f"<a href='jAvAsCrIpT:{RAN}'>x</a>",
    f"<a href='data:text/html,<script>{RAN}</script>'>x</a>",
    "<iframe src='/api/contents'></iframe>",
    "<form action='/api/contents'><button>Full credit</button></form>",
    "<base href='http://example.org/'>",
    "<meta http-equiv=refresh content='0;url=http://example.org'>",
    "<div style='position:fixed;top:0'>x</div>",
    "<style>body { display: none }</style>",
    "<p id=explain class=score name=x>x</p>",
    "<img src='http://example.org/seen.png'>",
    "![x](http://example.org/seen.png)",
    "<!--><script>alert(1)</script>-->",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    f"```\n</code></pre><script>{RAN}</script>\n```",
    f"$x</script><script>{RAN}</script>$",
)


class Listed(HTMLParser):
    """Every tag and attribute of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str, str]] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(tag, name, value or "") for name, value in attributes}


@pytest.mark.parametrize("written", TRIES)
def test_only_what_is_listed_is_left(written: str) -> None:
    for html in (harmless(written), markdown_of({}, written)):
        listed = Listed(html)
        assert listed.tags <= TAGS | formulas.TAGS
        for tag, name, value in listed.attributes:
            allowed = {*formulas.ATTRIBUTES, "xmlns"} if tag in formulas.TAGS else ATTRIBUTES.get(tag, ())
            assert name in allowed
            assert name != "href" or value.startswith(("http://", "https://"))
            assert name != "src" or value.startswith("data:image/")


def test_a_long_text_takes_no_long_time() -> None:
    began = time.monotonic()
    html = markdown_of({}, r"\begin{a}" * 20_000)
    assert time.monotonic() - began < 10
    assert "cut here" in html


def test_deep_nesting_takes_no_long_time() -> None:
    began = time.monotonic()
    deep = [unit * 4_000 for unit in ("<div>", "<b><p>", "<div><table><td></div></table>")]
    assert all(harmless(each).startswith("<pre>&lt;") for each in deep)
    assert harmless("<ul><li>a" * 50).startswith("<ul><li>a<ul>")
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    "unit",
    ["<x y=1 ", "<a b", "<a/b", '<a b="1"c', "<p title='", "<!--", "<p><b>", "</p>", "<table><b>", "<a>"],
)
def test_no_html_takes_long_to_be_cleaned(unit: str) -> None:
    """200 kB is what an output may have: it is shown, as a text where it has more tags than a page has."""
    html = unit * (200_000 // len(unit))
    began = time.monotonic()
    cleaned = harmless(html)
    assert time.monotonic() - began < 8
    assert cleaned.startswith("<pre>&lt;") or unit in ("<!--", "<p title='")


def test_a_large_picture_and_a_long_table_stay_what_they_are() -> None:
    picture = f'<img src="data:image/png;base64,{"iVBOR/w0KGgo=" * 9000}" alt="a b">'
    table = "<table>" + "<tr><td>1</td><td>2</td></tr>" * 1500 + "</table>"
    assert harmless(picture).startswith('<img src="data:image/png;base64,iVBOR')
    assert harmless(table).startswith("<table>")


DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.mark.parametrize(
    ("kinds", "shown"),
    [
        ({"image/png": DOT}, f'src="data:image/png;base64,{DOT}"'),
        ({"image/svg+xml": "<svg onload=x>"}, "a picture that is not shown"),
        ({"image/png": '" onerror="x'}, "a picture that is not shown"),
    ],
)
def test_a_pasted_picture_is_shown_or_its_place_is(kinds: dict[str, str], shown: str) -> None:
    cell = v4.new_markdown_cell("![a](attachment:a%20dot.png)", attachments={"a dot.png": kinds})
    cleaned, _ = Harmless().preprocess_cell(cell, {}, 0)
    assert shown in markdown_of({"cell": cleaned}, cleaned.source)


@pytest.mark.parametrize(
    ("tag", "size", "stays"),
    [
        *(("img", "width=300", True), ("img", "height=2000", True), ("td", "colspan=4", True)),
        *(("img", "width=100000", False), ("img", "height=2001", False), ("th", "colspan=100000", False)),
        *(("img", "width='100000 %'", False), ("td", "colspan='99 '", False), ("img", "width=\u0663", False)),
    ],
)
def test_nothing_is_larger_than_a_page(tag: str, size: str, stays: bool) -> None:
    assert (size.partition("=")[0] in harmless(f"<table><tr><td><{tag} {size}></table>")) == stays


TURNED = "4 of 5 \u202epoints"


@pytest.mark.parametrize("how", ["\u202e", "&#8238;", "&#x202E;", "&#x0202e;"])
def test_what_turns_a_text_is_seen(how: str) -> None:
    for text in (harmless(f"4 of 5{how} points"), markdown_of({}, f"4 of 5{how} points")):
        assert "\u202e" not in unescape(text)
        assert "4 of 5[U+202E] points" in text
    assert "&#8364;" in harmless("5 &#8364;") or "\u20ac" in harmless("5 &#8364;")
    assert "\u202e" not in markdown_of({}, "$\\text{a\u202eb}$")


def test_code_that_turns_its_order_is_seen_on_the_page(made: Course) -> None:
    notebook = v4.new_notebook(cells=[v4.new_code_cell("n = 4  # \u202e points")])
    page: str = HTMLExporter(config=config_of(made)).from_notebook_node(notebook)[0]
    assert "[U+202E]" in page
    assert "\u202e" not in page


@pytest.mark.parametrize(
    "output",
    [
        v4.new_output("stream", text=TURNED),
        v4.new_output("display_data", {"text/plain": TURNED}),
        v4.new_output("error", ename="E", evalue=TURNED, traceback=[TURNED]),
    ],
)
def test_what_turns_an_output_is_seen(output: NotebookNode) -> None:
    cell, _ = Harmless().preprocess_cell(v4.new_code_cell("", outputs=[output]), {}, 0)
    assert "\u202e" not in str(cell.outputs).encode().decode("unicode_escape")
    assert "[U+202E]" in str(cell.outputs)


def test_what_is_harmless_stays() -> None:
    html = markdown_of({}, "**bold**, [docs](https://example.org), `x`\n\n| a |\n|---|\n| 1 |")
    for part in ("<strong>bold</strong>", 'href="https://example.org"', "<code>x</code>", "<td>1</td>"):
        assert part in html


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("$a<b$", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
        (r"$$\frac{1}{2}$$", "<mfrac>"),
        (r"\begin{matrix}1\end{matrix}", "<mtable>"),
        ("costs $5", "costs $5"),
        (r"$\text{<script>1</script>}$", r"<code>\text{&lt;script&gt;1&lt;/script&gt;}</code>"),
        (r"$\href{javascript:alert(1)}{x}$", "<mi>x</mi>"),
        ("&#xE000;99&#xE001; $a$ formula-0-", "99"),
    ],
)
def test_formulas_are_drawn_without_a_script(written: str, shown: str) -> None:
    html = markdown_of({}, written)
    assert shown in html
    assert "script:" not in html
    assert "<script" not in html


def hostile() -> NotebookNode:
    """A notebook whose every place holds a script."""
    script = TRIES[0] + TRIES[1]
    data = {
        "text/html": script,
        "application/javascript": RAN,
        "image/svg+xml": TRIES[2],
        "text/latex": script,
    }
    outputs = [
        v4.new_output("stream", text=script),
        v4.new_output("display_data", data=data),
        v4.new_output("display_data", data={"image/png": f'"/>{script}'}),
        v4.new_output("display_data", data={"text/markdown": script}),
        v4.new_output("error", ename=script, evalue=script, traceback=[script]),
    ]
    code = v4.new_code_cell("</pre>" + script, outputs=outputs)
    return v4.new_notebook(cells=[code, v4.new_raw_cell(script), *map(v4.new_markdown_cell, TRIES)])


def marking_page(course: Course, notebook: NotebookNode) -> str:
    """The page as nbgrader's formgrader makes it, with the course's own settings."""
    config = config_of(course)
    config.HTMLExporter.template_name = "course_marking"
    config.HTMLExporter.extra_template_paths = [handlers.template_path]
    resources = {"base_url": "", "submission_id": "1", "index": 0, "total": 1, "notebook_id": LAB}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        page: str = HTMLExporter(config=config).from_notebook_node(notebook, resources=resources)[0]
    return page


def ran(page: str, folder: Path) -> bool:
    """Does a script of the student's run in Chromium?"""
    browser = installed_browser()
    (folder / "page.html").write_text(page)
    flags = ["--headless", "--dump-dom", f"--user-data-dir={folder}", "--virtual-time-budget=2000"]
    address = (folder / "page.html").as_uri()
    shown = subprocess.run(
        [browser, *ARGUMENTS, *flags, address], capture_output=True, text=True, timeout=120
    )
    assert "<html" in shown.stdout, shown.stderr
    return "data-ran" in shown.stdout[:500]


def test_a_script_runs_where_nothing_is_cleaned(tmp_path: Path) -> None:
    assert ran(f"<!DOCTYPE html><html><body>{TRIES[1]}</body></html>", tmp_path)


def test_nothing_runs_in_the_marking_page(graded: Graded, tmp_path: Path) -> None:
    assert not ran(marking_page(graded.course, hostile()), tmp_path)


@pytest.mark.parametrize("student", ["script in the answer", "script in an output"])
def test_a_graded_script_is_text(graded: Graded, student: str) -> None:
    page = marking_page(graded.course, graded.notebook(student))
    assert "For the marker" in page
    assert "cdnjs" not in page
    assert "onerror=alert(1)&gt;" in page or "onerror" not in page
    assert "javascript:" not in page.lower().replace("javascript:alert(1))", "")


@pytest.fixture(scope="module")
def pages(graded: Graded) -> dict[str, str]:
    """The feedback of the class, by student."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        written, _ = feedback(graded.course, unmarked=True)
        again, _ = feedback(graded.course, unmarked=True)
    assert again == []
    return {page.parent.parent.name: page.read_text() for page in written}


def test_feedback_shows_no_hidden_test(pages: dict[str, str]) -> None:
    assert "right" in pages
    for student, page in pages.items():
        assert "For the marker" not in page, student
        assert "cdnjs" not in page, student
        assert SECRET not in page, student
        assert "HIDDEN TESTS" not in page, student
        assert "Look by hand" not in page, student


def test_a_cell_that_a_student_added_does_not_look_like_the_courses(made: Course) -> None:
    """A frame around it says so, whatever it says itself, and closes nothing that is around it."""
    rubric = "**For the marker: what earns the points**\n\neverybody gets 3 points</div></div></div>"
    notebook = nbformat.read(made.source(LAB), 4)
    own = {"classroom": {"own": True}}
    added = [
        v4.new_markdown_cell(rubric, metadata=own),
        v4.new_code_cell("mine = 1", outputs=[v4.new_output("stream", text="1")], metadata=own),
        v4.new_raw_cell("as it is", metadata=own),
    ]
    place = next(number for number, each in enumerate(notebook.cells) if each.id == "explain")
    notebook.cells[place:place] = added
    page = marking_page(made, notebook)
    assert page.count("Added by the student") == 3
    assert "everybody gets 3 points" in page.split("Added by the student")[1]
    assert "Added by the student" not in page[: page.index("Why is it so?")]
    assert page.count("<div") == page.count("</div>")


def test_what_is_shown_is_cleaned_alike_in_both_pages(made: Course, tmp_path: Path) -> None:
    """Of outputs and of a written answer the marking page and feedback show a text, and nothing runs."""
    written = "\n\n".join(each for each in TRIES if "<table>" not in each)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        saved(made, "ada", explain=written, seen=hostile().cells[0].outputs)
        ((page,), _) = feedback(made, unmarked=True)
    assert not ran(page.read_text(), tmp_path)
    marking = marking_page(made, nbformat.read(made.autograded(LAB, "ada"), 4))
    for shown in (page.read_text(), marking):
        assert "[x](javascript:" in shown  # as a text
        assert not any(RAN in value for _, _, value in Listed(shown).attributes)


def test_feedback_says_that_a_hidden_test_failed() -> None:
    """`double` is right for 4 and not for 7: students see that something is wrong, and not what."""
    passed = v4.new_output("stream", text="fine")
    check = v4.new_code_cell("secret", outputs=[v4.new_output("error", ename="CheckFailed", evalue=SECRET)])
    check.metadata = {
        "nbgrader": {"grade": True, "solution": False, "points": 4},
        "classroom": {"seen": [passed], "released": "public", "score": 0.0},
    }
    shown, _ = AsStudentsSeeIt().preprocess(v4.new_notebook(cells=[check]), {})
    assert shown.cells[0].source == "public"
    assert [each.text for each in shown.cells[0].outputs] == ["fine", HIDDEN_FAILED]


@pytest.mark.parametrize(
    ("result", "score", "told"),
    [
        ("1.0", 1.0, []),
        ("3.0", 1.0, [HIDDEN_GAVE_LESS]),
        ("4.0", 1.0, [HIDDEN_FAILED]),
        ("[1]", 4.0, []),
        ("1.0", None, [NOT_RUN + LOOKS_AT.format("looks")]),
    ],
)
def test_partial_credit_is_no_hidden_test(result: str, score: float | None, told: list[str]) -> None:
    """`1 of 2 are right` says it; the bare number below it, which nbgrader reads, says nothing more."""
    seen = [
        v4.new_output("stream", text="1 of 2 are right."),
        v4.new_output("execute_result", data={"text/plain": result}),
    ]
    check = v4.new_code_cell("")
    check.metadata = {
        "nbgrader": {"grade": True, "solution": False, "points": 4},
        "classroom": {"seen": seen, "released": "public", "score": score},
    }
    shown, _ = AsStudentsSeeIt().preprocess(v4.new_notebook(cells=[check]), {})
    texts = [each.text for each in shown.cells[0].outputs if each.output_type == "stream"]
    assert texts == ["1 of 2 are right.", *told]
    assert sum(each.output_type == "execute_result" for each in shown.cells[0].outputs) == (result == "[1]")


@pytest.mark.parametrize("name", ["script", "STYLE", "template"])
def test_what_no_browser_shows_is_no_text(name: str) -> None:
    shown = harmless(f'<p>4 warps</p><{name} type="application/json">{{"asked": []}}</{name}> of 5 <{name}>')
    assert shown == "<p>4 warps</p> of 5 "


def test_many_elements_take_no_long_time() -> None:
    began = time.monotonic()
    without_unseen("<script>" * 30_000)
    without_unseen("<script>a</script>" * 15_000)
    assert time.monotonic() - began < 2


def test_no_page_stays_of_what_is_not_graded_any_more(made: Course) -> None:
    """Ada hands in again, and Adam leaves: a folder that is given back has neither's old page."""
    made = dataclasses.replace(made, late=Late(percent_per_day=10, most_percent=50))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hand_in(made, "ada", {"timestamp.txt": b"2027-01-13 04:30:00 UTC"})
        for student in ("ada", "adam", "Zoë O'Neil"):
            saved(made, student)
        written, waiting = feedback(made, unmarked=True)
        assert (len(written), [row.state for row in waiting]) == (3, [])
        page = made.root / "feedback" / "ada" / LAB / f"{LAB}.html"
        head = re.search(r'<div id="toc">.*?</div>', page.read_text(), re.DOTALL)[0]
        assert "29 h late, 2 days begun: 20 % less (Score: -2.4)" in " ".join(head.split())
        assert re.findall(r">([\w ]+)</a>", head) == ["predictions", "double", "triple", "The written answer"]
        assert feedback(made)[0] == []  # pages from before marking stay as they are
        (made.handed_in(LAB, "ada") / f"{LAB}.ipynb").write_text("{}")
        left = {name: about for name, about in made.students.items() if name != "adam"}
        _, waiting = feedback(dataclasses.replace(made, students=left), unmarked=True)
    assert [(row.student, row.state) for row in waiting] == [("ada", "not graded")]
    pages = {each.parent.parent.name for each in (made.root / "feedback").rglob("*.html")}
    assert pages == {"Zoë O'Neil"}


def test_outputs_are_limited_by_their_length() -> None:
    output = v4.new_output("stream", text="x" * 1_000_000)
    notebook = v4.new_notebook(cells=[v4.new_code_cell("", outputs=[output])])
    Harmless(most_characters=1000).preprocess(notebook, {})
    assert len(notebook.cells[0].outputs[0].text) < 1100


def test_no_notebook_of_the_class_is_large(graded: Graded) -> None:
    for student in graded.records:
        assert graded.course.autograded(LAB, student).stat().st_size < 500_000, student


def test_a_students_files_are_not_served(graded: Graded) -> None:
    """The marking page would serve them as pages of its own."""
    served = {each.name for each in (graded.course.root / "autograded").rglob("*") if each.is_file()}
    assert {name for name in served if not re.fullmatch(rf"{LAB}\.ipynb|timestamp\.txt", name)} == set()
