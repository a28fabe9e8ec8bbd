"""How is a table read that stands in a text? `[name]` begins it; a row is `key = value`, or has several keys.

What is indented belongs to the row before; a line that begins with `#` is a comment.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources


@cache
def rows(file: str) -> dict[str, list[str]]:
    """The rows of each table of a file, as they are written."""
    found: dict[str, list[str]] = {}
    text = (resources.files(__package__) / f"{file}.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if named := re.fullmatch(r"\[(\w+)\]", line):
            table = found[named[1]] = []
        elif line.startswith("  "):
            table[-1] += f"\n{line.strip()}"
        elif line and line[0] != "#":
            table.append(line)
    return found


def table(file: str, name: str) -> dict[str, str]:
    """One table of a file: what stands for each key."""
    pairs = (row.replace("\n", " ").partition(" =") for row in rows(file)[name])
    return {key: value.strip() for keys, _, value in pairs for key in keys.split()}


def pattern(file: str, name: str) -> re.Pattern[str]:
    """What matches where one of the rows does."""
    return re.compile("|".join(rows(file)[name]))
