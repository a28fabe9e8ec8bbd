"""What does a sort that launches itself gain beside a flat one? Counters, an H200's times, the model's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import Any, NamedTuple

import numpy as np
from IPython.display import HTML

import gpusim
from course import figures as plots
from course.device_runtime import launch_cost, sorted_by
from course.records import recorded
from gpusim.views.table import Table, table

COUNT = 1024
LEAST = (16, 64, 256, 1024)


def numbers() -> Any:
    """Those that were sorted on the H200, too: `numbers` of `tests/hardware/probes/nesting.py`.

    The kernels are the page's, but for `mine` of `settle`: the recorded text reads `a[i]` each time.
    """
    return np.array(Random(1).sample(range(COUNT), COUNT), np.int32)


def flat(exchange: Any) -> Any:
    """The run of a bitonic sort: the host launches each pass."""
    x = numbers()
    with gpusim.profile("H200") as run:
        span = 2
        while span <= COUNT:
            step = span // 2
            while step:
                exchange[COUNT // 256, 256](x, span, step)
                step //= 2
            span *= 2
    if x.tolist() != list(range(COUNT)):
        raise AssertionError("the flat sort does not sort")
    return run


class Measured(NamedTuple):
    """Microseconds of 20 runs on an H200."""

    median: float
    least: float
    most: float


FLAT = "flat: 55 launches by the host"


def ways() -> dict[str, Measured]:
    """What an H200 took to sort, by the name of the sort."""
    rows = recorded("nesting", "rows")
    found = {_way(least): times for kind, _, _, least, *times in rows if kind == "sort"}
    found[FLAT] = next(times for kind, _, _, _, *times in rows if kind == "flat")
    return {name: Measured(*times) for name, times in found.items()}


def _way(least: int) -> str:
    return f"recursion, `least` {least:,}" + (": one grid, no launch" if least == COUNT else "")


def fastest(among: Iterable[str]) -> str:
    """Which of these was it on an H200?"""
    return min(among, key=lambda name: ways()[name].median)


class Told(NamedTuple):
    """What the comparison shows, and what of it the text says."""

    table: Table
    figure: HTML
    said: dict[str, Any]


def compared(sort: Any, exchange: Any) -> Told:
    """The two sorts side by side: what the simulator counts, what an H200 took, what the model says."""
    measured, model, rows = ways(), {}, []
    chain = {}
    for least in LEAST:
        one = sorted_by(sort, numbers(), least, 24)
        if (one.right, one.told) != (COUNT, [0, 0]):
            raise AssertionError(f"least {least} does not sort")
        name, tree = _way(least), one.tree
        model[name], chain[least] = 1e6 * one.run.timing().seconds, tree.depth + 1
        rows.append((name, tree.launches, chain[least], int(one.run.instructions), sectors(one.run)))
    run = flat(exchange)
    passes, model[FLAT] = len(run.kernels), 1e6 * run.timing().seconds
    if f"{passes} launches" not in FLAT:
        raise AssertionError(passes)
    rows.append((FLAT, passes, passes, int(run.instructions), sectors(run)))
    shown = [
        (name.removeprefix("recursion, "), *counted, round(measured[name].median), round(model[name]))
        for name, *counted in rows
    ]
    longer = chain[16] - chain[256]
    said = {
        "sectors_least": f"{rows[0][4]:,}",
        "sectors_flat": f"{rows[-1][4]:,}",
        "sectors_one": f"{rows[3][4]:,}",
        "chain_long": chain[16],
        "chain_short": chain[256],
        "link_h200": f"{(measured[_way(16)].median - measured[_way(256)].median) / longer:.0f}",
        "link_model": f"{(model[_way(16)] - model[_way(256)]) / longer:.0f}",
        "one_h200": f"{measured[_way(1024)].median:.0f}",
        "one_model": f"{model[_way(1024)]:.0f}",
        **launch_cost(),
    }
    headings = (
        "sort of 1,024 numbers",
        "grids",
        "longest chain",
        "instructions",
        "sectors",
        "H200, µs",
        "model, µs",
    )
    return Told(table(shown, headings), _figure(measured, model), said)


def sectors(run: Any) -> int:
    """Sectors of global memory, loaded and stored."""
    return int(run.global_load_sectors + run.global_store_sectors)


def _figure(measured: Mapping[str, Measured], model: Mapping[str, float]) -> HTML:
    """Time over the size at which the recursion stops: recorded and worked out."""
    drawing, place = plots.new()
    times = [measured[_way(least)] for least in LEAST]
    spread = [[one.median - one.least for one in times], [one.most - one.median for one in times]]
    medians = [one.median for one in times]
    place.errorbar(LEAST, medians, spread, capsize=3, label="recursion, H200", **plots.style("H200"))
    place.plot(
        LEAST, [model[_way(least)] for least in LEAST], "s--", color="#666666", label="recursion, model"
    )
    place.axhline(measured[FLAT].median, color="#000000", linewidth=1, linestyle=":", label="flat, H200")
    place.set(xscale="log", ylim=(0, None), xlabel="least", ylabel="µs", xticks=LEAST, xticklabels=LEAST)
    place.minorticks_off()
    place.legend()
    if medians != sorted(medians, reverse=True):
        raise AssertionError("the caption says that fewer launches are faster")
    caption = "Fewer launches make the sort faster on the H200. The model is wrong at both ends."
    told = "; ".join(
        f"{name}: {one.median:.0f} µs, by the model {model[name]:.0f}" for name, one in measured.items()
    )
    return plots.show(drawing, caption, alt=f"Time over least. {told.replace('`', '')}.")
