"""How long did a launch take, by the model of time, and what did its warps wait for?

`seconds` are a model's: good for comparing two kernels, not for grading one. How far the model agrees with an
H200 stands on the page "What the simulator models".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpusim.errors import absent
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
BRIEF = 9000  # cycles: a third of them and more start a grid
# what bounds a kernel -> what would make it faster
MOVED_BY: dict[str, str] = {
    "latency": "more in flight: more warps per multiprocessor, or independent work in each",
    "issue": "fewer instructions for the same work: wider accesses, unrolled loops, fewer indices",
    "FP32 pipe": "fewer operations on floats",
    "INT32 pipe": "less arithmetic on integers, which is often that of indices",
    "IMAD pipe": "fewer products of integers, which are often those of indices",
    "FP64 pipe": "floats where no double is needed",
    "SFU pipe": "fewer roots, exponentials, divisions and conversions",
    "LSU pipe": "fewer accesses to memory, each of them wider",
    "TENSOR pipe": "fewer products of matrices",
    "L1 and shared memory": "fewer wavefronts: no bank conflicts, wider accesses, values in registers",
    "L2": "fewer sectors: coalesced accesses, and data that is used again kept in shared memory",
    "DRAM": "fewer bytes: coalesced accesses, smaller types, no array that is written only to be read again",
    "atomics": "fewer atomics on one place: combine values in the warp or the block first",
    "launches in kernels": "fewer and larger grids, launched where there is enough to do for one",
    "block launches": "more work for each block: fewer of them, whose threads loop",
}
# field of a report -> Nsight Compute's section, and the metric that it shows there
NSIGHT: dict[str, tuple[str, str]] = {
    "seconds": ("GPU Speed Of Light Throughput", "gpu__time_duration.sum"),
    "cycles": ("GPU Speed Of Light Throughput", "sm__cycles_elapsed.max"),
    "roofs": (
        "GPU Speed Of Light Throughput",
        "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    ),
    "flops": (
        "GPU Speed Of Light Roofline Chart",
        "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum, … fmul …, … ffma …",
    ),
    "issue_slots": ("Scheduler Statistics", "smsp__issue_active.avg.pct_of_peak_sustained_active"),
    "stalls": ("Warp State Statistics", "smsp__average_warps_issue_{}_per_issue_active.ratio"),
    "instructions": ("Instruction Statistics", "smsp__inst_executed.sum"),
    "achieved_occupancy": ("Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"),
    "theoretical_occupancy": ("Occupancy", "sm__maximum_warps_per_active_cycle_pct"),
    "l2_bytes": ("Memory Workload Analysis", "lts__t_bytes.sum"),
    "dram_bytes": ("Memory Workload Analysis", "dram__bytes.sum"),
    "lines": ("Source Counters", "smsp__pcsamp_warps_issue_stalled_…"),
}


def stall_metric(name: str) -> str:
    """What does Nsight Compute call a reason of `STALLS`?

    >>> stall_metric("stalled_barrier")
    'smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio'
    """
    name = "stalled_selected" if name == "selected" else name
    return NSIGHT["stalls"][1].format(name)


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
    help. `of_roof`: how much of that roof was used. `flops`: sums, products and quotients of floats, a fused
    one is two; `l2_bytes`, `dram_bytes`: what the model moved.

    Of a launch that leads to others, `cycles` and `seconds` are those of the whole tree, in which grids run
    side by side. It is bound by "launches in kernels" if most of the time nothing is computed, since grids
    have yet to begin. A warp that launches counts as one that waits for global memory: for what it does wait
    was not recorded.
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

    @property
    def brief(self) -> bool:
        """Is it over as soon as it was launched? Then no change of its kernel saves much."""
        return self.cycles < BRIEF * self.launches

    def __getattr__(self, name: str) -> float:
        """`timing.stall_barrier` is `timing.stalls["stalled_barrier"]`."""
        stalled = name.replace("stall_", "stalled_", 1)
        if name.startswith("stall_") and stalled in STALLS:
            return self.stalls.get(stalled, 0.0)
        raise absent(self, name)
