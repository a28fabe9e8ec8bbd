"""How well does the model of time agree with an H200? Launch by launch, those of `kernels.json`.

`python -m tests.hardware.timing [kernel]` prints all launches, or those of kernels that begin like this.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from course.kept import kept
from tests.hardware.likeness import rank_correlation
from tests.hardware.memory import recording
from tests.hardware.replaying import Replayer

# group -> how the names of its kernels begin
GROUPS = {
    "copies": ("copy", "saxpy", "gather"),
    "transposes": ("transpose",),
    "sums, scans and sorts": ("reduce", "scan", "sort"),
    "histograms": ("histogram",),
    "products": ("product", "row_times", "thread_times", "sparse"),
    "stencils": ("stencil",),
    "arithmetic": ("bodies", "mandelbrot"),
    "searches": ("search",),
    "chains": ("chain", "four_chains"),
}
FEW = {"elements": 9 << 20, "instructions": 10_000_000}  # of a launch that is soon replayed
OFF = 0.25  # relative: a launch that is further from the recording is a miss


class Timed(NamedTuple):
    """A launch (row of `probes/times.py`): microseconds on the H200, and by the model; what bounds it."""

    row: str
    recorded: float
    simulated: float
    bound_by: str

    @property
    def kernel(self) -> str:
        """Its name."""
        return self.row.split()[0]

    @property
    def group(self) -> str:
        """Under which heading does it stand?"""
        return next(group for group, names in GROUPS.items() if self.kernel.startswith(names))

    @property
    def off(self) -> float:
        """By how much of the recorded time does the model miss it? Above 0 where it takes too long here."""
        return self.simulated / self.recorded - 1


class Summary(NamedTuple):
    """Of some launches: rank correlation, mean error, and those that are off by more than `OFF`."""

    name: str
    launches: int
    rank: float
    error: float
    misses: tuple[Timed, ...]


def elements(row: str) -> int:
    """Of all its arrays."""
    return sum(int(part.split(":")[1]) for part in row.split()[6:] if part[0] in "FID")


def rows(few: bool) -> list[tuple[str, float]]:
    """Launches and the microseconds that they took. few: only those that are soon replayed."""
    header, launches = recording("kernels")["header"], recording("kernels")["rows"]
    executed = header["fields"]["rows"].index("smsp__inst_executed.sum")
    return [
        (row[0], row[1])
        for row in launches
        if not few or (elements(row[0]) <= FEW["elements"] and row[executed] <= FEW["instructions"])
    ]


@kept
def timed(few: bool = True) -> tuple[Timed, ...]:
    """Each launch, replayed."""
    replayer = Replayer(Path(__file__).with_name("kernels.cu"))
    return tuple(_timed(replayer, row, took) for row, took in rows(few))


def _timed(replayer: Replayer, row: str, took: float) -> Timed:
    report = replayer.report(row)
    return Timed(row, took, report.seconds * 1e6, report.bound_by)


def summary(name: str, launches: Iterable[Timed]) -> Summary:
    """How alike are the recorded and the simulated times of some launches?"""
    some = list(launches)
    rank = rank_correlation([one.recorded for one in some], [one.simulated for one in some], 0)
    error = sum(abs(one.off) for one in some) / len(some)
    return Summary(name, len(some), rank, error, tuple(one for one in some if abs(one.off) > OFF))


def summaries(launches: Sequence[Timed]) -> list[Summary]:
    """Of each group, and of all."""
    groups = [summary(name, some) for name in GROUPS if (some := [o for o in launches if o.group == name])]
    return [*groups, summary("all", launches)]


def main(names: Sequence[str]) -> None:
    """Print each launch, and how the groups agree."""
    replayer, found = Replayer(Path(__file__).with_name("kernels.cu")), []
    for row, recorded in rows(few=False):
        if not names or row.startswith(tuple(names)):
            one = _timed(replayer, row, recorded)
            found.append(one)
            print(
                f"{one.recorded:9.1f} {one.simulated:9.1f} {one.off:+6.0%}  {one.bound_by:22} {row}",
                flush=True,
            )
    for each in summaries(found):
        print(f"{each.name:24}{each.launches:4} launches, rank {each.rank:.3f}, error {each.error:.1%}")


if __name__ == "__main__":
    main(sys.argv[1:])
