"""How long did a launch take, by the model of time, and what did its warps wait for?

`seconds` are a model's: good for comparing two kernels, not for grading one. How far the model agrees with an
H200 stands on the page "What the simulator models".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpusim.reports.report import Report

# why a warp issues nothing; in Nsight Compute smsp__average_warps_issue_<name>_per_issue_active.ratio
STALLS: dict[str, str] = {
    "selected": "it issues",
    "stalled_long_scoreboard": "for data from global or local memory",
    "stalled_short_scoreboard": "for data from shared memory, a shuffle, a root or a special register",
    "stalled_wait": "for the result of an instruction that takes a fixed number of clocks",
    "stalled_barrier": "for the other warps at a barrier",
    "stalled_math_pipe_throttle": "for a pipe that is busy with other warps' arithmetic",
    "stalled_lg_throttle": "for room in the queue to global and local memory",
    "stalled_mio_throttle": "for room in the queue to shared memory",
    "stalled_not_selected": "for its turn: the scheduler issues another warp's instruction",
    "stalled_branch_resolving": "for the target of a branch",
}


@dataclass(frozen=True, slots=True)
class LineTime(Report):
    """What warps did at one source line. `share`: of all their time; `stalls`: clocks by reason, over it."""

    line: int
    source: str
    function: str
    share: float
    stalls: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Roof(Report):
    """A limit of the device: `used` of it, 1 is all. `amount` and `most` in `unit`, both per second."""

    name: str
    used: float
    amount: float
    most: float
    unit: str


@dataclass(frozen=True, slots=True)
class TimingReport(Report):
    """How long all that launched took, one after the other.

    `cycles`: clocks of a multiprocessor, start and end of the grid included (`sm__cycles_elapsed.max`);
    `seconds`: what two events around the launch would measure. `instructions`: of the machine, as the model
    has them. `issue_slots`: the part of the clocks in which a scheduler issued something. `stalls`: for an
    instruction issued, how many clocks a warp stood for each reason (`selected` is 1). `bound_by`: the roof
    that is nearest, or "latency" where none is near: warps wait for what is under way, and more of them would
    help. `of_roof`: how much of that roof was used. `flops`: additions and products of floats, a fused one is
    two; `l2_bytes`, `dram_bytes`: what the model moved.
    """

    kernel: str
    launches: int
    device: str
    cycles: float
    seconds: float
    instructions: float
    issue_slots: float
    achieved_occupancy: float
    theoretical_occupancy: float
    stalls: Mapping[str, float]
    bound_by: str
    of_roof: float
    roofs: tuple[Roof, ...]
    flops: int
    l2_bytes: float
    dram_bytes: float
    lines: tuple[LineTime, ...]
    source: str  # of the device's speeds

    def __getattr__(self, name: str) -> float:
        """`timing.stall_barrier` is `timing.stalls["stalled_barrier"]`."""
        stalled = name.replace("stall_", "stalled_", 1)
        if name.startswith("stall_") and stalled in STALLS:
            return self.stalls.get(stalled, 0.0)
        raise AttributeError(f"{type(self).__name__} has no {name!r}")
