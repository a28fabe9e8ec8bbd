"""How is a lab written as text? `python labs/from_text.py mirror.md` makes the instructor's notebook of it.

The text is a notebook in MyST Markdown, as the book's pages are. A cell of nbgrader says its `grade_id`, and
`solution: true` where students answer, or `points`; the rest of its metadata follows from these.
A mistake in it is a sentence with its cell, and then nothing is written.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import re
import sys
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import nbformat
from myst_nb.core.read import MystMetadataParsingError, read_myst_markdown_notebook
from myst_parser.config.main import MdParserConfig
from nbformat import NotebookNode

LABS = Path(__file__).parent
KEYS = ("grade_id", "solution", "points", "grade", "locked", "task", "schema_version")
LINE = re.compile(r"\s*#+ *((begin|end)[ _-]+(solution|hidden[ _-]+test)s?)\b", re.IGNORECASE)
UNCHANGED = re.compile(r"(unchanged\((\w+), *)\.\.\.\)")  # its checksum is computed here
LINES = {"solution": "SOLUTION", "hidden": "HIDDEN TESTS"}


class LabError(Exception):
    """What is wrong with the text of a lab: a line for each mistake."""


def notebook(text: str, name: str = "the text") -> NotebookNode:
    """The instructor's notebook. A cell's id is its `grade_id`: it outlasts changes of the text.

    Raises `LabError` with every mistake at once.
    """
    try:
        made: NotebookNode = read_myst_markdown_notebook(text, MdParserConfig())
    except MystMetadataParsingError as error:
        line = re.search(r"at line (\d+)", str(error))
        where = f", line {line[1]}" if line else ""
        raise LabError(
            f"{name}{where}: what stands between `---` is no YAML, such as nbgrader: {{grade_id: mirror}}"
        ) from None
    if wrong := mistakes(made):
        raise LabError("\n".join(f"{name}, {each}" for each in wrong))
    kernels = _checksums(made)
    for place, cell in enumerate(made.cells):
        cell.source = UNCHANGED.sub(lambda found: f"{found[1]}{kernels[found[2]]:#x})", cell.source)
        told = cell.metadata.get("nbgrader")
        cell.id = told["grade_id"] if told else f"text-{place}"
        if not told:
            continue
        points, solution = "points" in told, told.get("solution", False)
        usual = {"grade": points, "locked": not solution, "solution": solution}
        cell.metadata["nbgrader"] = {**usual, "schema_version": 3, "task": False, **told}
        if points and not solution:  # a check: folded, and the cells after one that fails run all the same
            cell.metadata["jupyter"] = {"source_hidden": True}
            cell.metadata["tags"] = ["raises-exception"]
    return made


def _checksums(made: NotebookNode) -> dict[str, int]:
    """What `grading.unchanged` compares: of each function in a locked cell, as Python finds its source."""
    found = {}
    for cell in made.cells:
        if cell.cell_type == "code" and not (cell.metadata.get("nbgrader") or {}).get("solution"):
            lines = cell.source.splitlines(keepends=True)
            for each in _tree(cell.source).body:
                if isinstance(each, ast.FunctionDef):
                    first = min(one.lineno for one in (each, *each.decorator_list)) - 1
                    text = "".join(inspect.getblock(lines[first:]))
                    found[each.name] = zlib.crc32(text.strip().encode())
    return found


def _tree(source: str) -> ast.Module:
    """A cell with `%` or `!` holds no kernel."""
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.Module([], [])


def mistakes(made: NotebookNode) -> list[str]:
    """What of these cells would be graded wrongly, or shown to students? Each with its cell."""
    kernels = _checksums(made)
    header = "at its top stands no header that names the kernel, as `mirror.md` has it"
    wrong, seen = [] if "kernelspec" in made.metadata else [header], Counter[str]()
    for number, cell in enumerate(made.cells, 1):
        told = cell.metadata.get("nbgrader")
        known = isinstance(told, dict) and told.get("grade_id")
        first = (cell.source.splitlines() or [""])[0]
        where = f"cell `{known}`" if known else f"cell {number} ({first[:40]})"
        wrong += [f"{where}: {each}" for each in (*_of_metadata(told), *_of_lines(cell.source, told))]
        unknown = [each[2] for each in UNCHANGED.finditer(cell.source) if each[2] not in kernels]
        wrong += [f"{where}: no locked cell defines `{each}`, which is to be unchanged" for each in unknown]
        seen[str(known)] += bool(known)
    return wrong + [
        f"cell `{name}`: {count} cells have this `grade_id`" for name, count in seen.items() if count > 1
    ]


def _of_metadata(told: Any) -> list[str]:
    if told is None:
        return []
    if not isinstance(told, dict):
        return ["`nbgrader` is such as {grade_id: mirror, solution: true}"]
    wrong = []
    for key in set(told) - set(KEYS):
        near = difflib.get_close_matches(str(key), KEYS, 1)
        wrong.append(f"nbgrader knows no `{key}`." + (f" Is `{near[0]}` meant?" if near else ""))
    name, points, solution = told.get("grade_id"), told.get("points", 0), told.get("solution", False)
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9_-]+", name):
        wrong.append(f"its `grade_id` is made of letters, digits, - and _, not {name!r}")
    if isinstance(points, bool) or not isinstance(points, int | float) or points < 0:
        wrong.append(f"`points` is a number such as 4, not {points!r}")
    if not isinstance(solution, bool):
        wrong.append(f"`solution` is true or false, not {solution!r}")
    if str(name).startswith("check-") and "points" not in told:
        wrong.append("a check without `points`")
    return wrong


def _of_lines(source: str, told: Any) -> list[str]:
    """Are BEGIN and END there in pairs, written as nbgrader reads them, in a cell that may have them?"""
    wrong, open_now = [], ""
    solution = isinstance(told, dict) and told.get("solution")
    check = isinstance(told, dict) and "points" in told and not solution
    for line in filter(None, map(LINE.match, source.splitlines())):
        begins, what = line[2].lower() == "begin", LINES[re.split("[ _-]", line[3].lower())[0]]
        right = f"{line[2].upper()} {what}"
        if line[1] != right:
            wrong.append(f"`{line[0].strip()}` is written `### {right}`")
        if not (solution if what == "SOLUTION" else check):
            wrong.append(f"`### {right}` belongs in {'an answer' if what == 'SOLUTION' else 'a check'} only")
        if begins and open_now:
            wrong.append(f"`### END {open_now}` is missing before `### {right}`")
        elif not begins and open_now != what:
            wrong.append(f"`### BEGIN {what}` is missing before `### {right}`")
        open_now = what if begins else ""
    return wrong + ([f"`### END {open_now}` is missing"] if open_now else [])


def write(*texts: Path, labs: Path = LABS) -> list[Path]:
    """Write the notebooks where `make labs` and `make course` look for them: all, or none."""
    if not texts:
        raise LabError(
            "say which text: python labs/from_text.py mirror.md writes labs/instructor/mirror/mirror.ipynb"
        )
    if lost := [str(each) for each in texts if not each.is_file()]:
        raise LabError(f"{', '.join(lost)}: there is no such file")
    made = {each.stem: notebook(each.read_text(encoding="utf-8"), each.name) for each in texts}
    files = [labs / "instructor" / name / f"{name}.ipynb" for name in made]
    for file, each in zip(files, made.values(), strict=True):
        file.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(each, file)
    return files


if __name__ == "__main__":
    try:
        sys.stdout.write("".join(f"{file}\n" for file in write(*map(Path, sys.argv[1:]))))
    except LabError as error:
        sys.exit(str(error))
