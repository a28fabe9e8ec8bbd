"""Who is in the class? `roster.csv`, as a table program or a learning platform saves it."""

from __future__ import annotations

import codecs
import csv
import difflib
import io
import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# A student's name is a folder's name, and stands in patterns: nothing that means something there
FORBIDDEN = re.compile(r"[/\\*?\[\]{}\x00-\x1f]|^\.|^\s|\s$")
COLUMNS = ("id", "first_name", "last_name", "email")
UNSAID = re.compile(r"[^\w\s.+()-]")  # platforms leave some of these out of a file's name: O'Neil is ONeil
OPTIONAL = ("platform_name",)  # what a platform calls a student in the names of files
KNOWN = (*COLUMNS, *OPTIONAL)


def plain(name: str) -> str:
    """A name as it is compared: whatever its case, its marks, and how its accents are written."""
    return UNSAID.sub("", unicodedata.normalize("NFC", name)).casefold()


def read_roster(file: Path, wrong: list[str]) -> dict[str, dict[str, str]]:
    """Students by id; what is wrong with the table is appended to `wrong`."""
    if not file.exists():
        wrong.append(
            f"course.toml: `roster` names {file.name}, which is not there: a table with {','.join(COLUMNS)}"
        )
        return {}
    rows, first = table_of(file)
    names = [*(rows.fieldnames or ())]
    if "id" not in names:
        wrong.append(f"{file.name} has no column `id` in its first line, which is: {first}")
        return {}
    wrong += [
        f"{file.name} knows no column `{each}`. Is `{near[0]}` meant?"
        for each in names
        if each not in KNOWN and (near := difflib.get_close_matches(each.casefold(), KNOWN, 1, 0.8))
    ]
    students: dict[str, dict[str, str]] = {}
    taken, called = set[str](), dict[str, str]()  # upper and lower case is one to some disks
    for row in rows:
        if not any(isinstance(each, str) and each.strip() for each in row.values()):
            continue  # a blank row, as table programs leave them
        student = (row["id"] or "").strip()
        where = f"{file.name}, line {rows.line_num}"
        if uneven := _uneven(row, len(names)):
            wrong.append(f"{where} {uneven}")
        if not student:
            wrong.append(f"{where} has no `id`: {', '.join(str(each) for each in row.values() if each)}")
        elif found := FORBIDDEN.search(student):
            wrong.append(f"{where}: `{student}` is no id: it names a folder, which has no `{found[0]}` there")
        elif plain(student) in taken:
            wrong.append(f"{where}: `{student}` is there twice")
        taken.add(plain(student))
        other = called.setdefault(plain((row.get("platform_name") or "").strip()) or student, student)
        if other != student:
            wrong.append(f"{where}: `{student}` has the `platform_name` of `{other}`")
        students[student] = {name: (row.get(name) or "").strip() for name in KNOWN[1:]}
    return students


def table_of(file: Path) -> tuple[csv.DictReader[str], str]:
    """The rows of a table between commas, semicolons or tabs, and the beginning of its first line."""
    text = decoded(file.read_bytes())
    first = text.partition("\n")[0]
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count))
    rows.fieldnames = [(each or "").strip() for each in rows.fieldnames or ()]
    return rows, first.strip()[:80]


def _uneven(row: dict[str | Any, str | Any], columns: int) -> str:
    """Has a row another number of values than the first line has names? Blank ones at its end do no harm."""
    more = [*row.get(None, ())]
    while more and not more[-1].strip():
        more.pop()
    count = columns + len(more) - sum(value is None for name, value in row.items() if name is not None)
    if count == columns:
        return ""
    some = f"{count} value{'' if count == 1 else 's'}"
    return f"has {some}, and the first line names {columns}. What holds the separator stands in quotes"


def namesakes(students: Mapping[str, Mapping[str, str]]) -> dict[str, list[str]]:
    """The names of several students, and their ids, where no `platform_name` tells them apart."""
    called = dict[str, list[str]]()
    for student, about in students.items():
        if not about.get("platform_name") and about.get("last_name"):
            called.setdefault(f"{about['first_name']} {about['last_name']}".strip(), []).append(student)
    return {name: two for name, two in called.items() if len(two) > 1}


def and_of(names: Sequence[str]) -> str:
    """`ada` and `grace`, as a sentence has them."""
    *first, last = [f"`{each}`" for each in names]
    return f"{', '.join(first)} and {last}" if first else last


def decoded(content: bytes) -> str:
    """UTF-8, UTF-16 with its mark, or what Windows writes in the West."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")
