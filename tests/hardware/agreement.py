"""How do two recordings of the same things agree, field by field? Counters should be equal, times nearly.

A record is a row of a table, told apart by its key: its first columns, or an id.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# table -> how many of its columns say which record it is; None: one record for each entry
KEYS: dict[str, dict[str, int]] = {
    "global_patterns": {"rows": 7},
    "shared_patterns": {"rows": 7},
    "vec3_struct": {"rows": 1},
    "kernels": {"rows": 1},
    "curves": {"rows": 3},
    "occupancy": {
        "kernels": 1,
        "blocks_per_sm": 1,
        "max_potential": 3,
        "max_potential_variable": 2,
        "available_dynamic": 3,
        "carveout": 1,
        "resident": 4,
    },
    "memory_spaces": {"local": 6, "shared_atomics": 6, "global_atomics": 6, "constants": 3},
    "caches": {"global": 3, "constants": 3, "lines_twice": 2},
    "carveout": {"chosen": 4, "rereads": 5, "rewrites": 4},
    "overlap": {"resident": 2, "pairs": 3},
    "textures": {"rows": 4},
    "placement": {"rows": 5},
    "streams": {"orders": 1, "copies": 2},
    "nesting": {"rows": 4},
}


SHOWN = 8  # differing records that a summary keeps of each field


@dataclass
class Field:
    """How one field agrees over all records of a table."""

    name: str
    equal: int = 0
    different: list[tuple[Any, Any, Any]] = field(default_factory=list)  # key, old, new

    @property
    def records(self) -> int:
        """How many records have it in both."""
        return self.equal + len(self.different)

    @property
    def ratios(self) -> str:
        """New by old where the two differ: smallest, median, largest."""
        quotients = sorted(new / old for _key, old, new in self.different if _number(old) and _number(new))
        if not quotients:
            return ""
        least, middle, most = quotients[0], quotients[len(quotients) // 2], quotients[-1]
        return f"{least:.3g} – {middle:.3g} – {most:.3g}"


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value != 0


def compare(name: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, Field]]:
    """Each table with each of its fields, for two recordings of the file `name`."""
    for table, columns in KEYS[name].items():
        if table not in old or table not in new:
            continue
        fields = old["header"]["fields"]
        names = fields[table] if isinstance(fields, dict) else fields
        pairs = _pairs(old[table], new[table], columns)
        width = max((len(row) for _key, row, _again in pairs), default=0)
        titles = _titles(names, columns, width)
        found = [Field(title) for title in titles]
        for key, row, again in pairs:
            for column, before, after in zip(found, row, again, strict=False):
                for one, other in _numbers(before, after):
                    if one == other:
                        column.equal += 1
                    else:
                        column.different.append((key, one, other))
        yield from ((table, column) for column in found if column.records)


def _pairs(old: Iterable[list[Any]], new: Iterable[list[Any]], columns: int) -> list[tuple[Any, Any, Any]]:
    there = {json.dumps(row[:columns]): row[columns:] for row in new}
    return [
        (row[:columns], row[columns:], there[json.dumps(row[:columns])])
        for row in old
        if json.dumps(row[:columns]) in there
    ]


def _titles(names: Any, columns: int, width: int) -> list[str]:
    if isinstance(names, list):
        return [name.split(":")[0] for name in names[columns:]]
    # one line that names all columns, "[a, b, c] from where"
    inside = names.partition("[")[2].partition("]")[0].split(", ")[columns:]
    return inside if len(inside) == width else [f"field {place}" for place in range(columns, columns + width)]


def _numbers(before: Any, after: Any) -> Iterator[tuple[Any, Any]]:
    """The entries of two tables, side by side; of plain values, the two."""
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for one, other in zip(before, after, strict=True):
            yield from _numbers(one, other)
    elif before is not None and after is not None:  # None: not recorded
        yield before, after


def folders(old: Path, new: Path) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """The recordings that both folders hold."""
    for name in KEYS:
        files = [folder / f"{name}.json" for folder in (old, new)]
        if all(file.exists() for file in files):
            before, after = (json.loads(file.read_text()) for file in files)
            yield name, before, after


def summary(old: Path, new: Path) -> dict[str, Any]:
    """The same as data that can be kept: per file both machines, and a row for each field."""
    files = {}
    for name, before, after in folders(old, new):
        if before == after:  # recorded once: the same file in both folders
            continue
        rows = []
        for table, column in compare(name, before, after):
            some = [[key[0], one, other] for key, one, other in column.different[:SHOWN]]
            rows.append([table, column.name, column.records, column.equal, column.ratios, some])
        machines = {"old": before["header"]["machine"], "new": after["header"]["machine"]}
        files[name] = {"machines": machines, "fields": rows}
    header = {
        "what": "How a second recording agrees with the first, by tests/hardware/agreement.py",
        "fields": "[table, field, records in both, equal ones, new / old of others (least, median, most), "
        f"the first {SHOWN} of them: id, old, new]",
    }
    return {"header": header, "files": files}


def report(old: Path, new: Path) -> str:
    """A Markdown table: each field of each table, records in both, equal ones, ratios of the others."""
    lines = []
    for name, before, after in folders(old, new):
        machines = [recording["header"]["machine"] for recording in (before, after)]
        lines.append(f"## {name}.json\n")
        for label, machine in zip(("old", "new"), machines, strict=True):
            driver = machine.get("driver", "not noted")
            lines.append(f"* {label}: {machine['device']}, driver {driver}, {machine['date']}")
        lines.append("\n| table | field | records | equal | new / old where not: least – median – most |")
        lines.append("|---|---|---|---|---|")
        for table, column in compare(name, before, after):
            lines.append(f"| {table} | {column.name} | {column.records} | {column.equal} | {column.ratios} |")
        lines.append("")
    return "\n".join(lines) or "the two folders have no recording in common"
