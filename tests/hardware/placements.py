"""When does each block start, and beside how many others? Here, and on an H200, by `placement.json`.

Numbers of multiprocessors do not count: a GPU goes around its clusters, and each has its own broken ones.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gpusim import devices
from gpusim.devices.occupancy import blocks_per_multiprocessor
from gpusim.timing.placement import placed

RECORDED = json.loads((Path(__file__).parent / "placement.json").read_text())
MULTIPROCESSORS, LONG, CLOCK_MHZ, LEAVING_MICROSECONDS = 132, 8, 1980, 0.2


class Launch(NamedTuple):
    """In which turn does each block start, recorded and here? And with how many do they share then?"""

    starts: list[int]
    starts_here: list[int]
    shares: list[int]
    shares_here: list[int]


def launch(row: list[Any]) -> Launch:
    """A recorded launch, placed here. A turn is as long as a short block stays."""
    blocks, threads, shared_bytes, cycles, each, multiprocessors, starts, _ends = row
    resident = blocks_per_multiprocessor(
        devices.get("H200"), threads=threads, registers_per_thread=16, shared_bytes=shared_bytes
    )
    long = np.arange(blocks) % each == 0 if each else np.zeros(blocks, bool)
    stays = placed(np.where(long, LONG, 1.0), float(resident), 1.0, MULTIPROCESSORS, resident)
    turns = [round(start / (cycles / CLOCK_MHZ + LEAVING_MICROSECONDS)) for start in starts]
    together = [block for block, turn in enumerate(turns) if turn == 0]
    shares, shares_here = (
        sorted(Counter(where[block] for block in together).values())
        for where in (multiprocessors, [stay.multiprocessor for stay in stays])
    )
    return Launch(turns, [round(stay.start) for stay in stays], shares, shares_here)
