"""What do launches in kernels cost beside the same work without? The inputs, and how they are recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.hardware.probes.tools import Recording, Tools

NEVER, BY_BLOCKS = 1 << 30, -1
LONGEST, SIZES = (4096, 65536), (2048, 8192, 32768, 131072)
MOST = (256, 1024, 4096, NEVER, BY_BLOCKS)
LEAST, NUMBERS = (16, 64, 256, 1024), 1024


def lengths(longest: int, rows: int) -> list[int]:
    """Of `rows` rows, in mixed order: longest / k, rounded down, one at least, for k = 1, 2, 3, …"""
    return Random(13).sample([max(longest // k, 1) for k in range(1, rows + 1)], rows)


def numbers() -> list[int]:
    """0 to 1,023 in mixed order."""
    return Random(1).sample(range(NUMBERS), NUMBERS)


def sums() -> Iterator[tuple[int, int, int]]:
    """Longest row, rows, and from how many numbers on a row gets a launch of its own."""
    yield LONGEST[0], SIZES[0], 4
    yield LONGEST[0], SIZES[0], 64
    for longest in LONGEST:
        for rows in SIZES:
            yield from ((longest, rows, most) for most in MOST)


def nesting(tools: Tools) -> Recording:
    """Microseconds of each tree of grids, and of the same work launched by the host alone."""
    asked = [("sums", *each) for each in sums()]
    asked += [*(("sort", 0, NUMBERS, least) for least in LEAST), ("flat", 0, NUMBERS, 0)]
    rows = [
        " ".join(map(str, (kind, knob, *(lengths(longest, count) if kind == "sums" else numbers()))))
        for kind, longest, count, knob in asked
    ]
    answers = [json.loads(text)[3:] for text in tools.program("nesting", rows, answers=True)]
    kept = json.loads((Path(__file__).parent.parent / "nesting.json").read_text())["header"]
    return {
        "header": tools.header(kept["what"], kept["fields"], note=kept["note"]),
        "rows": [[*how, *times] for how, times in zip(asked, answers, strict=True)],
    }
