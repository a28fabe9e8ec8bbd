"""Which cells of a page show something else after those alone that they need? It puts stand-ins in.

    python tests/live/alone.py < cells.json

cells.json: {number: {"source": text, "needs": [number …]} …}. Prints the numbers: "differ: []".
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = map(str, (ROOT / "book" / "live", ROOT / "book", ROOT))
from session import Session  # noqa: E402
from stand_ins import install  # noqa: E402

# where an object or an array lies, the number of a control
CHANCE = re.compile(r" at (address )?0x[0-9a-f]+|data-control=.\d+")


def shown(outputs: list[Any]) -> list[tuple[str, str, str]]:
    """An error, as of plots, for which there is no stand-in here, says where packages lie."""
    return [
        (each.kind, "" if each.kind == "failed" else CHANCE.sub("", each.text), CHANCE.sub("", each.html))
        for each in outputs
    ]


def run(cells: dict[str, Any], numbers: list[int]) -> dict[int, Any]:
    here = Session()
    install(here.display)
    return {number: shown(here.run(number, cells[str(number)]["source"])) for number in numbers}


if __name__ == "__main__":
    cells = json.load(sys.stdin)
    whole = run(cells, [*map(int, cells)])
    others = [at for at, of in whole.items() if run(cells, cells[str(at)]["needs"])[at] != of]
    print("differ:", others)  # a checker that a cell began may say more, as Python ends
