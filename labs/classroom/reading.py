"""What did a student hand in? The cells of a notebook, or the reason why there are none.

Byte order marks, UTF-16, Latin-1, old formats and other names are no obstacles. Outputs are left behind.
"""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import nbformat

ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
MOST_BYTES = 200_000_000
MOST_OF_A_CELL, MOST_OF_ALL = 200_000, 1_000_000  # characters of source: a lab has 30,000
HALF = "half of a character is written as \ufffd"


# JSON can say one of the two halves alone, which no text can be written with
HALVES = re.compile("[\ud800-\udfff]")


class Unreadable(Exception):
    """There is no notebook to be had; the text says why, for the instructor."""


@dataclass(frozen=True)
class Handed:
    """A cell as it was handed in: "code", "markdown" or "raw"; its names where it still has them."""

    kind: str
    source: str
    id: str = ""
    grade_id: str = ""
    attachments: dict[str, Any] = field(default_factory=dict)  # pictures that were pasted into a text


def files_in(folder: Path) -> list[Path]:
    """The files of a submission, by name. A link is none."""
    return [each for each in sorted(folder.iterdir()) if each.is_file() and not each.is_symlink()]


def is_notebook(name: str) -> bool:
    """Is it one by its name, in whatever case?"""
    return name.lower().endswith(".ipynb")


def notebook_in(folder: Path, lab: str) -> Path:
    """The file of this lab: by its name, or the only notebook that is there."""
    found = [each for each in files_in(folder) if is_notebook(each.name)]
    exact = folder / f"{lab}.ipynb"
    if exact in found:
        return exact
    if len(found) != 1:
        names = ", ".join(each.name for each in found) or "none"
        raise Unreadable(f"one notebook is asked for, and there are: {names}")
    return found[0]


def cells_of(file: Path) -> tuple[list[Handed], list[str]]:
    """The cells of this file, and what had to be done to read it."""
    if file.stat().st_size > MOST_BYTES:
        raise Unreadable(f"the file has {file.stat().st_size:,} bytes")
    return cells_in(file.read_bytes())


def cells_in(content: bytes) -> tuple[list[Handed], list[str]]:
    """The same of a file's content."""
    text, done = _decoded(content)
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):  # a number may have too many digits
        raise Unreadable("the file is no notebook, or a part of one") from None
    if not isinstance(told, dict) or not isinstance(told.get("nbformat"), int):
        raise Unreadable("the file is JSON, but no notebook")
    if told["nbformat"] < 4:
        old = told["nbformat"]
        done.append(f"the notebook's format {old} is brought up to 4")
        try:
            told = nbformat.reads(text, as_version=4)
        except Exception as error:  # whatever a damaged notebook makes of the conversion
            raise Unreadable(f"format {old} cannot be brought up to 4: {error}") from None
    cells = told.get("cells")
    if not isinstance(cells, list):
        raise Unreadable("the notebook has no cells")
    read = [_cell(each) for each in cells]
    if None in read:
        done.append("cells that are damaged are left out")
    kept = [each for each in read if each is not None]
    lengths = [len(each.source) for each in kept]
    if max(lengths, default=0) > MOST_OF_A_CELL or sum(lengths) > MOST_OF_ALL:
        raise Unreadable(f"its cells have {sum(lengths):,} characters, one of them {max(lengths):,}")
    whole = [replace(each, source=HALVES.sub("\ufffd", each.source)) for each in kept]
    if whole != kept:
        done.append(HALF)
    return whole, done


def _decoded(content: bytes) -> tuple[str, list[str]]:
    if not content.strip(b"\0 \t\r\n"):
        raise Unreadable("the file is empty")
    marked = next((name for mark, name in ENCODINGS if content.startswith(mark)), "utf-8")
    try:
        return content.decode(marked), [] if marked == "utf-8" else [f"the file is in {marked}"]
    except UnicodeDecodeError:
        if marked != "utf-8":
            raise Unreadable(f"the file begins as {marked} and does not go on so") from None
        return content.decode("cp1252", errors="replace"), ["the file is read as Latin-1"]


def _cell(told: Any) -> Handed | None:
    """A cell, or None where there is nothing to make sense of."""
    if not isinstance(told, dict) or told.get("cell_type") not in ("code", "markdown", "raw"):
        return None
    source = told.get("source", "")
    lines = source if isinstance(source, list) else [source]
    if not all(isinstance(line, str) for line in lines):
        return None
    metadata = told.get("metadata")
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
    name, attachments = told.get("id"), told.get("attachments")
    return Handed(
        told["cell_type"],
        "".join(lines),
        name if isinstance(name, str) else "",
        grade_id if isinstance(grade_id, str) else "",
        {file: kinds for file, kinds in attachments.items() if _is_texts(kinds)}
        if isinstance(attachments, dict)
        else {},
    )


def _is_texts(kinds: Any) -> bool:
    """What nbformat takes for an attachment, as far as it is used here: {kind: text}."""
    return isinstance(kinds, dict) and all(isinstance(each, str) for each in kinds.values())
