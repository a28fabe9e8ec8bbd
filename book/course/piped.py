"""Who holds which buffer of a pipeline, and when? One warp brings parts of an array, one turns them round.

The kernel is `piped.cu`. An observer notes every access to its shared array `s`, in the order of the run.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from IPython.display import HTML

import gpusim
from course import figures, listed
from gpusim.events import Event, GridLaunched, GridObserver, MemoryAccess
from gpusim.ir.types import Space
from gpusim.runtime import settings

SOURCE = Path(__file__).with_suffix(".cu")
PART, BUFFERS, PARTS = 32, 2, 6
ORDERS = (1, 5)  # in these the producer runs ahead as far as it may


class Access(NamedTuple):
    """One access to shared memory: which buffer, the producer's or the consumer's, by how many lanes."""

    buffer: int
    fills: bool
    lanes: int


class Span(NamedTuple):
    """One part in a buffer, in accesses: brought from `begins` to `full`, and read from `read` to `free`."""

    begins: int
    full: int
    read: int
    free: int


class _Accesses(GridObserver):
    """Every access to the buffers, in order."""

    wants = frozenset({MemoryAccess})

    def __init__(self) -> None:
        self.found: list[Access] = []

    def watches(self, launched: GridLaunched) -> GridObserver:
        return self

    def observe(self, event: Event) -> None:
        if isinstance(event, MemoryAccess) and event.space is Space.SHARED:
            buffers, lanes = np.unique(event.addresses[event.active] // (4 * PART), return_counts=True)
            self.found += [
                Access(int(buffer), event.kind == "store", int(count))
                for buffer, count in zip(buffers, lanes, strict=True)
            ]


def code(buffers: int = BUFFERS) -> str:
    """The kernel with so many buffers: each 2 of its source becomes that number."""
    shown = SOURCE.read_text(encoding="utf-8").partition("\n")[2]
    for before in ("s[2]", "block, 2>", "k % 2"):
        shown = shown.replace(before, before.replace("2", str(buffers)))
    return shown


def accesses(buffers: int, schedule: Any) -> list[Access]:
    """A run on an H200 in this order, whose result is right."""
    x, observer = np.arange(PART * PARTS, dtype=np.int32), _Accesses()
    kernel = gpusim.RawModule(code=code(buffers)).get_function("piped")
    with gpusim.use("H200", schedule=schedule), settings.during(settings.changed(observer=observer)):
        kernel[1, 2 * PART](x, out := np.zeros_like(x), x.size)
    if (out.reshape(-1, PART) != x.reshape(-1, PART)[:, ::-1]).any():
        raise AssertionError(out)
    return observer.found


def spans(found: Iterable[Access], buffers: int = BUFFERS) -> list[Span]:
    """When was each part brought and read? Part k is in buffer k % buffers."""
    lanes: dict[tuple[int, bool], int] = {}
    times: dict[tuple[int, bool], tuple[int, int]] = {}
    for step, access in enumerate(found):
        for _ in range(access.lanes):
            key = access.buffer, access.fills
            number = lanes[key] = lanes.get(key, -1) + 1  # the part's own lanes come before those of the next
            part = access.buffer + buffers * (number // PART)
            first, _ = times.get((part, access.fills), (step, step))
            times[part, access.fills] = first, step
    return [Span(*times[part, True], *times[part, False]) for part in range(PARTS)]


def ahead(buffers: int) -> int:
    """How many parts has the producer brought at most, of which the consumer has not read one whole?"""
    most = 0
    for order in ORDERS:
        stays = spans(accesses(buffers, order), buffers)
        for k, stay in enumerate(stays):
            read = sum(other.free < stay.full for other in stays[:k])
            most = max(most, k + 1 - read)
    return most


def listing() -> HTML:
    """The kernel, folded, after a run under both widths without a finding."""
    x = np.arange(PART * 4, dtype=np.int32)
    kernel = gpusim.RawModule(code=code()).get_function("piped")
    for device in ("H200", "MetaX C500"):
        with gpusim.sanitize(device=device) as report:
            kernel[1, 2 * PART](x, np.zeros_like(x), x.size)
        if report.findings:
            raise AssertionError(report)
    return listed.folded("The whole kernel, in CUDA C++", listed.Lines(code()))


def figure(order: int = ORDERS[0]) -> HTML:
    """Who has which buffer, in one order of the run?"""
    stays = spans(accesses(BUFFERS, order))
    drawn, axes = figures.new(height=2.3)
    blue = figures.style("H200")["color"]
    for part, stay in enumerate(stays):
        row = part % BUFFERS
        pieces = (
            (stay.begins, stay.full, {"color": blue}),
            (stay.full + 1, stay.read - 1, {"fill": False, "edgecolor": blue}),
            (stay.read, stay.free, {"fill": False, "edgecolor": "#000000", "hatch": "//////"}),
        )
        for (first, last, look), label in zip(
            pieces, ("the producer brings it", "full", "the consumer reads it"), strict=True
        ):
            axes.barh(row, last - first + 1, left=first, height=0.5, label=label if part == 0 else "", **look)
        axes.text((stay.begins + stay.free + 1) / 2, row - 0.32, f"part {part}", ha="center", fontsize=10)
    axes.set_yticks(range(BUFFERS), [f"buffer {row}" for row in range(BUFFERS)])
    axes.set(ylim=(BUFFERS - 0.65, -0.65), xlabel="accesses to shared memory, in their order")
    drawn.legend(loc="outside lower center", ncols=3, fontsize=10, frameon=False)
    return figures.show(
        drawn,
        "While one buffer is read, the other is brought, and neither is both at once.",
        alt=f"Two buffers over the accesses of one run. {PARTS} parts come in turn to buffer 0 and 1. Each "
        "is brought, is full for a while, and is read; only then is the next brought to the same buffer.",
    )
