"""Do pages become notebooks that run elsewhere, and show there what the book shows?"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import nbformat
import pytest
from jupyter_cache import get_cache
from myst_nb.core.read import read_myst_markdown_notebook
from myst_parser.config.main import MdParserConfig

from tests.hunting import ALL, some
from tests.test_book import IN_BOTH_LANGUAGES, page_at

ROOT = Path(__file__).resolve().parent.parent
# what a student has who installed what the first lines of a notebook ask for
INSTALLED = {"IPython", "course", "gpusim", "ipywidgets", "matplotlib", "numpy"}
FILE = re.compile(r"[\w./-]+\.\w+")
READ = ("book/_static", "book/course", "tests/hardware")  # the folders that chapters read from

WAVES = """\
# Waves

(told)=
## What is `told`?

```{code-cell}
# no heading
```
"""
EXAMPLES = [
    (
        "the question",
        ":::{container} question\nWho *runs*,\nand when?\n:::",
        "> **Who *runs*,\n> and when?**",
    ),
    ("facts", ":::{container} facts\n35 minutes · Lab 1\n:::", "> *35 minutes · Lab 1*"),
    ("what a page says until it runs", ":::{container} until-live\nPress it.\n:::\nSo.", "\nSo."),
    ("what it says from then on", ":::{container} once-live\nRun *it*.\n:::", "Run *it*."),
    ("a number", "It has {glue:text}`lanes` lanes.", "It has 32 lanes."),
    ("a page with a notebook", "See [the\nlanes](lanes.md).", "See [the\nlanes](lanes.ipynb)."),
    ("a section of it", "[`told`](waves.md#what-is-told)", "[`told`](waves.ipynb#What-is-told?)"),
    (
        "a section of this page",
        "[it](#what-is-told), [it](told)",
        "[it](#What-is-told?), [it](#What-is-told?)",
    ),
    ("a place that is no section", "[the picture](a-picture)", "the picture"),
    ("a page without a notebook", "[Sources](references.md#five)", "Sources"),
    ("elsewhere", "[NVIDIA](https://example.org/a.md)", "[NVIDIA](https://example.org/a.md)"),
    ("code", "`{glue:text}`, `a[i](x)`, ``[`x`](y.md)``", "`{glue:text}`, `a[i](x)`, ``[`x`](y.md)``"),
    ("a block of code", "```sh\n[a](b.md)\n:::\n```", "```sh\n[a](b.md)\n:::\n```"),
    ("a formula", "$$\\text{bank} = a[i]$$", "$$\\text{bank} = a[i]$$"),
    ("a remark for the page", "<!-- revealed -->\n\nThen:", "\nThen:"),
    ("a label", "(a-picture)=\nHere is a tile.", "Here is a tile."),
    (
        "a hint",
        "1. Do it.\n\n   ```{dropdown} Hint\n   Ask [it](#what-is-told).\n   ```\n2. And this.",
        "1. Do it.\n\n   <details><summary><b>Hint</b></summary>\n\n   Ask [it](#What-is-told?).\n\n"
        "   </details>\n2. And this.",
    ),
    (
        "a file in a dropdown",
        ":::{dropdown} Both\n```{literalinclude} course/both.cu\n:language: cpp\n```\n:::",
        "<details><summary><b>Both</b></summary>\n\n```cpp\nint both;\n```\n\n</details>",
    ),
    (
        "cards",
        "::::{grid} 1 2\n:gutter: 3\n\n"
        ":::{grid-item-card} 1 · Lanes\n:link: lanes\n:link-type: doc\n\nWho?\n:::\n::::",
        "**[1 · Lanes](lanes.ipynb)** Who?",
    ),
    ("below a card", ":::{card-footer}\n35 min\n:::", "*35 min*"),
    ("a button", "```{button-ref} lanes\n:ref-type: doc\n\nStart\n```", "[Start](lanes.ipynb)"),
    (
        "what docstrings say",
        "```{eval-rst}\n.. autofunction:: gpusim.predict\n```",
        "- `gpusim.predict`: What will the run show? Asks the reader, who answers before the page goes on.",
    ),
]


@pytest.fixture
def plain_markdown(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book" / "_ext")
    import plain_markdown

    return plain_markdown


@pytest.fixture
def beside(plain_markdown):
    """Patterns of the files that lie beside the notebooks."""
    import notebooks

    return notebooks.BESIDE


@pytest.fixture
def folder(tmp_path):
    """A book's folder with a page, and a file that it includes."""
    (tmp_path / "course").mkdir()
    (tmp_path / "course" / "both.cu").write_text("int both;\n", encoding="utf-8")
    (tmp_path / "waves.md").write_text(WAVES, encoding="utf-8")
    (tmp_path / "lanes.md").write_text("# Lanes\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "plain"), [case[1:] for case in EXAMPLES], ids=[case[0] for case in EXAMPLES]
)
def test_markdown_of_the_book_becomes_that_of_jupyterlab(plain_markdown, folder, text, plain):
    pages = plain_markdown.Pages(folder, frozenset({"waves", "lanes"}))
    assert plain_markdown.Page("waves", pages, {"lanes": "32"}).plain(text) == plain


def test_where_the_books_address_is_known_links_lead_there(plain_markdown, folder):
    pages = plain_markdown.Pages(folder, frozenset(), "https://example.org/course/")
    page = plain_markdown.Page("waves", pages, {})
    assert page.plain("[Sources](references.md#five)") == (
        f"[Sources](https://example.org/course/{folder.name}/references.html#five)"
    )


def test_what_no_notebook_can_show_is_named(plain_markdown, folder):
    page = plain_markdown.Page("waves", plain_markdown.Pages(folder, frozenset()), {})
    with pytest.raises(LookupError, match=r"waves: no notebook has {video};"):
        page.plain(":::{video} a.mp4\n:::")


@pytest.fixture(scope="module")
def unpacked(book, tmp_path_factory):
    """The archive of all notebooks, in a folder of its own."""
    folder = tmp_path_factory.mktemp("downloads")
    ZipFile(book / "_sources" / "notebooks.zip").extractall(folder)
    return folder / "notebooks"


def page_of(name):
    """A page of the book, as it is written."""
    text = (ROOT / "book" / f"{name}.md").read_text(encoding="utf-8")
    return read_myst_markdown_notebook(text, MdParserConfig())


def code_of(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def prose_of(notebook):
    """The text of a notebook, without code and formulas."""
    text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return re.sub(r"^ *(```+).*?^ *\1$|(`+).+?\2|\$\$?.+?\$\$?", "", text, flags=re.DOTALL | re.MULTILINE)


def test_every_page_that_shows_code_offers_a_notebook_with_all_of_it(book, unpacked):
    offered = {path.stem for path in unpacked.glob("*.ipynb")}
    assert offered >= {*IN_BOTH_LANGUAGES, "introduction", "five-minutes", "playground"}
    for name in offered:
        links = page_at(book / "book" / f"{name}.html").links
        assert {f"../_sources/book/{name}.ipynb", "../_sources/notebooks.zip"} <= {*links}
        html = (book / "book" / f"{name}.html").read_text(encoding="utf-8")
        assert html.index("This page as a notebook (.ipynb)") < html.index("All notebooks (.zip)")
        made = nbformat.read(unpacked / f"{name}.ipynb", as_version=4)
        nbformat.validate(made)
        assert [cell.source for cell in code_of(made)[1:]] == [cell.source for cell in code_of(page_of(name))]


def test_no_notebook_has_what_jupyterlab_does_not_know(unpacked):
    for path in unpacked.glob("*.ipynb"):
        prose = prose_of(nbformat.read(path, as_version=4))
        assert re.findall(r".*(?:\{[\w:-]+\}|:::|^\([\w-]+\)=|\.md[#)]|<!--).*", prose, re.MULTILINE) == []
        beside = {link.partition("#")[0] for link in re.findall(r"\]\(([^)]+\.ipynb[^)]*)\)", prose)}
        assert [link for link in beside if not (unpacked / link).exists()] == []


def imported(source: str) -> set[str]:
    """The names that a text imports, with their modules: `course.figures` of `from course import figures`."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{name.name}" for name in node.names}
    return found


def test_notebooks_import_only_what_they_ask_for(unpacked):
    cells = [
        cell.source
        for path in unpacked.glob("*.ipynb")
        for cell in code_of(nbformat.read(path, as_version=4))
    ]
    python = [re.sub(r"^[%!].*", "", cell, flags=re.MULTILINE) for cell in cells if not cell.startswith("%%")]
    known, new = set(), set.union(*map(imported, python))
    while new:
        known |= new
        files = {unpacked / "book" / f"{name.replace('.', '/')}.py" for name in new}
        files |= {file.parent.with_suffix(".py") for file in files} | {
            file.parent / "__init__.py" for file in files
        }
        files = {
            file for file in files if file.is_relative_to(unpacked / "book" / "course") and file.exists()
        }
        new = set.union(set(), *(imported(file.read_text(encoding="utf-8")) for file in files)) - known
    packages = {name.partition(".")[0] for name in known} - sys.stdlib_module_names
    assert packages - {"myst_nb", "_ext"} == INSTALLED, "of the build alone: course.said, course.kept"


def read_by(source: str) -> set[str]:
    """The names of files in a text in Python: `kernels.cu` of `RECORDS / "kernels.cu"`."""
    strings = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    return {Path(text).name for text in strings if isinstance(text, str) and FILE.fullmatch(text)}


def test_every_file_that_notebooks_or_what_they_import_read_lies_beside_them(beside):
    """A name that no folder of the repository has is of a file that the reader is to write."""
    packed = {path for pattern in beside for path in ROOT.glob(pattern)}
    python = {str(path): path.read_text(encoding="utf-8") for path in packed if path.suffix == ".py"}
    for page in (ROOT / "book").glob("*.md"):
        cells = code_of(page_of(page.stem))
        if any(not {"remove-input", "remove-cell"} & {*cell.metadata.get("tags", [])} for cell in cells):
            code = (
                re.sub(r"^[%!].*", "", cell.source, flags=re.MULTILINE)
                for cell in cells
                if not cell.source.startswith("%%")
            )
            python[page.name] = "\n".join(code)
    there = {path.name for folder in READ for path in (ROOT / folder).iterdir()}
    lacking = {
        place: sorted(missing)
        for place, source in python.items()
        if (missing := (read_by(source) & there) - {path.name for path in packed})
    }
    assert lacking == {}


SANITIZED = """
[cells, by their number, in what errors say: a page's kernel does not count them]
regex: In\\[\\d+\\]
replace: In[number]
"""


def test_away_from_the_repository_notebooks_show_what_the_book_shows(book, unpacked):
    """Under nbval, with the outputs of the build. What may differ has a tag in its page, with the reason.

    One finds `course` in the archive, the others, alone in a folder, in the clone that gpusim is in.
    """
    (kept,) = (book.parent / ".jupyter_cache").iterdir()
    runs, alone = get_cache(kept), unpacked.parent / "alone"
    alone.mkdir()
    (alone / "sanitized").write_text(SANITIZED, encoding="utf-8")
    names = [path.stem for path in unpacked.glob("*.ipynb")] if ALL else some(IN_BOTH_LANGUAGES, 6)
    tried = [unpacked / "five-minutes.ipynb", *(alone / f"{name}.ipynb" for name in names)]
    for path in tried:
        made = nbformat.read(unpacked / path.name, as_version=4)
        _, ran = runs.merge_match_into_notebook(page_of(path.stem))
        for cell, there in zip(code_of(made)[1:], code_of(ran), strict=True):
            # values that are glued into the prose are outputs, too
            cell.outputs = [each for each in there.outputs if "scrapbook" not in each.get("metadata", {})]
            cell.execution_count = 1
        nbformat.write(made, path)
    options = ("-q", "--nbval", "--nbval-current-env", "--nbval-cell-timeout=300", "-p", "no:cacheprovider")
    options += ("--nbval-sanitize-with", str(alone / "sanitized"))
    command = [sys.executable, "-m", "pytest", *options, *map(str, tried)]
    # a launch that takes long shows how far it is: as in the build, not here, whatever else the machine does
    environment = {**os.environ, "TQDM_DISABLE": "1"}
    done = subprocess.run(
        command, cwd=unpacked, capture_output=True, text=True, encoding="utf-8", env=environment
    )
    assert done.returncode == 0, done.stdout[-6000:]
