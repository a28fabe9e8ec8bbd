"""What did a real H200 do? The records in `tests/hardware`, as rows with names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RECORDS = Path(__file__).resolve().parents[2] / "tests" / "hardware"


def recorded(name: str, part: str | None = None) -> Any:
    """What one file holds, or one part of it; a table comes as a dict a row, by the names of its fields.

    `recorded("timing", "memcpy_d2d")` gives `[{"GBps_read_plus_write": 4296.3}]`.
    """
    data = json.loads((RECORDS / f"{name}.json").read_text(encoding="utf-8"))
    found = data if part is None else data[part]
    if isinstance(found, list) and found and isinstance(found[0], list) and found[0][:1] == ["fields"]:
        (_, *names), *rows = found
        return [dict(zip(names, row)) for row in rows]  # noqa: B905 — the last name is a note
    return found
