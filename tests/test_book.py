"""Does the book build, and do its pages hold together? Every check here needs no browser."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from jsonschema import Draft202012Validator
from sphinx_external_toc.parsing import parse_toc_yaml

from course import chapters
from gpusim.reports import schema
from gpusim.views import embed

ROOT = Path(__file__).resolve().parent.parent
PAGES = [f"{document}.html" for document in parse_toc_yaml(ROOT / "_toc.yml")]
LOADS = {("script", "src"), ("link", "href"), ("img", "src"), ("source", "src"), ("iframe", "src")}

every_page = pytest.mark.parametrize("path", PAGES)


class Page(HTMLParser):
    """What does a page hold? Its elements with their attributes, its anchors, its links and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.feed(path.read_text(encoding="utf-8"))
        self.anchors = {attributes["id"] for _, attributes in self.elements if "id" in attributes}
        self.links = [
            attributes["href"] for tag, attributes in self.elements if tag == "a" and "href" in attributes
        ]
        self.has_slides = any(
            tag == "figure" or "data-gpusim-view" in attributes for tag, attributes in self.elements
        )
        self.loads = [
            attributes[name]
            for tag, attributes in self.elements
            for loader, name in LOADS
            if tag == loader and name in attributes
        ]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))


@cache
def page_at(path: Path) -> Page:
    """A page of the book, which many others link to."""
    return Page(path)


def test_builds_without_a_warning(book_build):
    assert book_build.returncode == 0, (book_build.stdout + book_build.stderr)[-6000:]


@every_page
def test_page_loads_nothing_from_elsewhere(book, path):
    assert [address for address in page_at(book / path).loads if urlsplit(address).netloc] == []


def test_the_script_of_all_widgets_stays_small(book):
    """As they are sent; the style sheet is in the first."""
    scripts = ((book / "_static" / name).read_bytes() for name in ("gpusim-widgets.js", "progress.js"))
    assert sum(len(gzip.compress(script)) for script in scripts) < 92_000


def test_every_view_of_a_page_holds_a_report_as_its_schema_says(book):
    view = re.compile(r'data-gpusim-view="(\w+)"><script type="application/json">(.*?)</script>')
    pages = [(book / path).read_text(encoding="utf-8") for path in PAGES]
    found = [(name, json.loads(data)) for page in pages for name, data in view.findall(page)]
    assert {name for name, _ in found} == embed.REPORTS.keys()
    for name, report in found:
        assert list(Draft202012Validator(schema.of(embed.REPORTS[name])).iter_errors(report)) == []


@every_page
def test_page_has_one_main_heading_a_language_and_alternative_texts(book, path):
    elements = page_at(book / path).elements
    assert next(attributes for tag, attributes in elements if tag == "html")["lang"] == "en"
    headings = [attributes for tag, attributes in elements if tag == "h1"]
    assert len(headings) == 2, "one for the screen and the theme's own for print"
    silent = [attributes["src"] for tag, attributes in elements if tag == "img" and "alt" not in attributes]
    assert silent == []


def test_the_script_of_all_widgets_says_what_its_modules_say(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book" / "_ext")
    from gpusim_widgets import slim

    script = '// a template\nf(`row ${ x ? ` mod ${ y }, and` : "" }`);\n\n    g( 1 );'
    assert slim(script) == 'f(`row ${ x ? ` mod ${ y }, and` : "" }`);g(1);'


@pytest.fixture
def fresh_runs(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book" / "_ext")
    import fresh_runs

    return fresh_runs


@pytest.mark.parametrize(
    "changed",
    ["gpusim/machine/batch.py", "gpusim/views/player.js", "book/course/pairs.py", "requirements.txt"],
)
def test_a_change_of_the_package_makes_every_page_run_again(fresh_runs, tmp_path, changed):
    (tmp_path / "requirements.txt").write_text("numpy==2.4.6\n")
    shutil.copytree(ROOT / "gpusim" / "ir", tmp_path / "gpusim" / "ir")
    before = fresh_runs.fingerprint(tmp_path)
    assert fresh_runs.fingerprint(tmp_path) == before
    (tmp_path / changed).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / changed).write_text("changed")
    assert fresh_runs.fingerprint(tmp_path) != before


FORMULAS = """# Formulas

Half: $\\frac{1}{2}$.

```{math}
:label: sum
a + b
```

See {eq}`sum`.
"""
MATHML = """
extensions = ["myst_parser", "mathml"]
myst_enable_extensions = ["dollarmath"]
html_math_renderer = "mathml"
"""


def built(folder: Path, page: str, settings: str) -> str:
    """What becomes of one page, by Sphinx and some of the book's extensions?"""
    of_book = f"import sys\nsys.path.insert(0, {str(ROOT / 'book' / '_ext')!r})\n"
    (folder / "index.md").write_text(page, encoding="utf-8")
    (folder / "conf.py").write_text(of_book + settings, encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-W", str(folder), str(folder / "html")]
    subprocess.run(command, check=True, capture_output=True)
    return (folder / "html" / "index.html").read_text(encoding="utf-8")


def test_formulas_become_mathml(tmp_path):
    page = built(tmp_path, FORMULAS, MATHML)
    assert "<mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>" in page
    assert '<span class="eqno">(1)' in page
    assert "tex-mml-chtml" not in page, "MathJax would be loaded from elsewhere"


KERNELS = """---
file_format: mystnb
kernelspec: {name: python3, display_name: Python 3, language: python}
---

# Kernels

```{code-cell}
@cuda.jit
def one(out): out[0] = 1
```

```{code-cell}
%%cuda cpp
__global__ void one(int* out) { out[0] = 1; }
```

Text.

```{code-cell}
%load_ext gpusim
```

```{code-cell}
%%cuda
__global__ void two(int* out) { out[0] = 2; }
```

```{code-cell}
print("Python")
```
"""
CELLS = """
extensions = ["myst_nb", "sphinx_design", "languages"]
nb_execution_mode = "off"
exclude_patterns = ["html", "jupyter_execute"]
"""


def test_a_kernel_in_two_languages_becomes_two_tabs(tmp_path):
    page = built(tmp_path, KERNELS, CELLS)
    cells = re.findall(r'data-sync-id="([a-z]+)"|highlight-([a-z0-9]+) ', page)
    tabs = [("python", ""), ("", "python"), ("cpp", ""), ("", "cuda")]
    assert cells == [*tabs, ("", "python"), ("", "cuda"), ("", "python")], "only kernels are tabs"


PREDICTIONS = """---
file_format: mystnb
kernelspec: {name: python3, display_name: Python 3, language: python}
---

# Predictions

Before any.

```{code-cell}
import gpusim

gpusim.predict("How many?", 1, id="one")
```

After one.

<!-- revealed -->

For all.

```{code-cell}
gpusim.predict("And now?", 2, id="two")
```

```{code-cell}
gpusim.predict("Besides?", 3, id="three")
```

```{code-cell}
:tags: [remove-cell]

hidden = 1
```

After both.

```{code-cell}
gpusim.predict("Then?", 4, id="four")
```

After four.

## Next

In the next section.
"""
CARDS = """# Cards

:::{toctree}
chapter
:::

:::{card} Chapter
:link: chapter
:link-type: doc
:::

:::{card} Elsewhere
:link: https://example.org
:::
"""
ANSWERED = """
extensions = ["myst_nb", "revealed"]
nb_execution_mode = "force"
nb_mime_priority_overrides = [["html", "text/html", 5]]
exclude_patterns = ["html", "jupyter_execute"]
"""


class Waits(HTMLParser):
    """For which predictions does each text of a page wait?"""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: dict[str, list[str]] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "div":
            self.open.append(dict(attrs).get("data-revealed-by") or "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "div":
            self.open.pop()

    def handle_data(self, data: str) -> None:
        asked = re.search(r'"id":"(\w+)"', data)
        self.found[asked[1] if asked else data.strip()] = [by for by in self.open if by]


@pytest.fixture(scope="module")
def of_a_chapter(tmp_path_factory):
    """A page of cards, and the chapter that one of them leads to."""
    folder = tmp_path_factory.mktemp("cards")
    (folder / "chapter.md").write_text(PREDICTIONS, encoding="utf-8")
    progress = ANSWERED.replace('"revealed"', '"progress", "revealed", "sphinx_design"')
    cards = built(folder, CARDS, progress + "\nmyst_enable_extensions = ['colon_fence']")
    return cards, (folder / "html" / "chapter.html").read_text(encoding="utf-8")


def test_what_follows_a_prediction_waits_up_to_the_next_heading(of_a_chapter):
    found = Waits(of_a_chapter[1]).found
    free = ("Before any.", "one", "For all.", "two", "three", "In the next section.")
    assert [found[text] for text in free] == [[]] * len(free)
    assert found["After one."] == ["one"]
    assert found["After both."] == found["four"] == ["two three"]
    assert found["After four."] == ["two three", "four"]


def test_two_predictions_of_a_page_may_not_share_their_memory(tmp_path):
    with pytest.raises(subprocess.CalledProcessError) as stopped:
        built(tmp_path, PREDICTIONS.replace('"four"', '"one"'), ANSWERED)
    assert "two predictions are remembered as 'one'" in stopped.value.stderr.decode()


def test_a_card_names_what_its_chapter_asks_and_other_pages_load_nothing_for_it(of_a_chapter):
    page, chapter = of_a_chapter
    assert re.findall(r' href="([^"]+)" data-predictions="([^"]+)"', page) == [
        ("chapter.html", "one two three four")
    ]
    assert "progress.js" in page
    assert "progress.js" not in chapter


CARD = re.compile(r"\{grid-item-card\} (.+)\n:link: (.+)\n(?:.*\n)+?(\d+) min · (Lab \d+|no lab)\n")
FACTS = re.compile(
    r"^# (.+)\n(?:.*\n)+?:::\{container\} facts\n(\d+) minutes(?:, and [^·\n]+)? · (Lab \d+|no lab)",
    re.MULTILINE,
)


def test_a_card_has_the_title_the_minutes_and_the_lab_of_its_chapter():
    cards = CARD.findall((ROOT / "book" / "introduction.md").read_text(encoding="utf-8"))
    assert {name for _, name, *_ in cards} == {*IN_BOTH_LANGUAGES}
    for title, name, *facts in cards:
        chapter = (ROOT / "book" / f"{name}.md").read_text(encoding="utf-8")
        assert FACTS.findall(chapter) == [(title, *facts)]


WORDS_PER_MINUTE = 90  # which a minute that a page names has at most, beside what it shows and asks
TIMED = {
    path.stem: int(minutes[1])
    for path in (ROOT / "book").glob("*.md")
    if (minutes := re.search(r"^(\d+) minutes", path.read_text(encoding="utf-8"), re.MULTILINE))
}


@pytest.mark.parametrize("name", sorted(TIMED))
def test_the_minutes_that_a_page_names_suffice_for_its_words(name):
    text = (ROOT / "book" / f"{name}.md").read_text(encoding="utf-8")
    words = len(re.sub(r"^```\{code-cell\}.*?^```", "", text, flags=re.MULTILINE | re.DOTALL).split())
    assert words / TIMED[name] <= WORDS_PER_MINUTE


IN_BOTH_LANGUAGES = (
    "threads-warps-and-waves",
    "divergence-and-masks",
    "independent-thread-scheduling",
    "shared-memory-and-banks",
    "coalescing",
    "on-chip-memory",
    "inside-a-multiprocessor",
    "wide-loads",
    "occupancy",
    "cooperative-groups",
    "device-runtime",
    "synchronisation",
    "scaling",
    "parent-and-child-grids",
    "memory-across-launches",
    "launching-from-ptx",
)


@pytest.mark.parametrize("chapter", IN_BOTH_LANGUAGES)
def test_every_kernel_of_a_chapter_stands_there_in_both_languages_and_is_checked(chapter):
    text = "\n".join(chapters.cells(chapter))
    python = set(re.findall(r"^@cuda\.jit\ndef (\w+)", text, re.MULTILINE))
    assert python - set(re.findall(r"^__global__ void (\w+)", text, re.MULTILINE)) == set()
    checks = (ROOT / "book" / "course" / "both" / f"{chapter.replace('-', '_')}.py").read_text(
        encoding="utf-8"
    )
    assert {name for name in python if not re.search(rf"\b{name}\b", checks)} == set()
