"""What do textures, placement and streams give on this machine? The programs tell; nothing is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.hardware.probes.tools import Recording, Tools

HERE = Path(__file__).parent.parent
EACH_FETCH = 4  # of as many that are recorded, one is kept


def _header(tools: Tools, name: str) -> Recording:
    """As it is kept, but for the machine."""
    kept = json.loads((HERE / f"{name}.json").read_text())["header"]
    return tools.header(kept["what"], kept["fields"], note=kept["note"])


def _told(tools: Tools, name: str) -> list[Any]:
    return [json.loads(text) for text in tools.program(name, answers=True)]


def textures(tools: Tools) -> Recording:
    """What textures give between and outside their texels."""
    rows = [
        [*how, [[x, y, *(f"{bits:08x}" for bits in numbers)] for x, y, *numbers in fetches[::EACH_FETCH]]]
        for *how, error, fetches in _told(tools, "textures")[1:]
        if not error
    ]
    return {"header": _header(tools, "textures"), "rows": rows}


def placement(tools: Tools) -> Recording:
    """Which multiprocessor has which block, from which microsecond to which: of like launches the first."""
    launches: dict[tuple[int, ...], list[Any]] = {}
    for *how, multiprocessors, starts, ends in _told(tools, "placement"):
        times = ([round(nanoseconds / 1000) for nanoseconds in each] for each in (starts, ends))
        launches.setdefault(tuple(how), [*how, multiprocessors, *times])
    return {"header": _header(tools, "placement"), "rows": list(launches.values())}


def streams(tools: Tools) -> Recording:
    """What runs beside what, and how long copies take."""
    orders: dict[str, list[Any]] = {}
    found: Recording = {"header": _header(tools, "streams"), "orders": [], "copies": []}
    for told in _told(tools, "streams"):
        if "order" in told:
            orders.setdefault(told["order"], []).append(told["tags_ns"])
        elif "copy" in told:
            found["copies"].append([told[name] for name in ("copy", "bytes", "call_us", "whole_us")])
        elif "event" in told:
            found["event_ms"] = told["ms"]
        else:
            found |= told
    orders.pop("warm")
    return found | {"orders": [list(order) for order in orders.items()]}
