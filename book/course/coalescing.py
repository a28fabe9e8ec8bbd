"""What does the chapter on coalescing show beside its kernels? An H200's records, a figure, a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from IPython.display import HTML
from numpy.typing import ArrayLike

from course import figures
from course.records import recorded
from gpusim.measurements import coalescing
from gpusim.profile import profile
from gpusim.profile.run import Run
from gpusim.views.table import Table, table

N = 4096
POINTS = np.zeros(N, [("x", "f4"), ("y", "f4"), ("z", "f4")])
ALIGNED = np.zeros(N, {"names": ["x", "y", "z"], "formats": ["f4"] * 3, "itemsize": 16})
for field in "xyz":
    POINTS[field] = ALIGNED[field] = np.random.default_rng(ord(field)).standard_normal(N)
BASE = 0x7F0000000000  # where an array begins; any multiple of 256 would do
SHIFTED = {row["offset_elems"]: row for row in recorded("timing", "misaligned")}
# stride in floats -> useful GB/s
READS = {
    row["stride"]: row["useful_GBps"] for row in recorded("timing", "stride_read") if row["elem_bytes"] == 4
}
# an H200 that reads with 8 warps on each multiprocessor and one load under way in each thread
(EIGHT_WARPS,) = (row for row in recorded("timing", "warps_per_sm") if row["warps"] == 8)
STRUCTS = recorded("vec3_struct")
WARPS = 67_108_864 // 32
ON_H200 = {row[0]: dict(zip(STRUCTS["header"]["fields"], row, strict=True)) for row in STRUCTS["rows"]}
# what the chapter calls a layout -> what the record does
RECORDED = {
    "12-byte structure": "12-byte struct, all fields",
    "aligned, one load of 16 bytes": "16-byte aligned struct, all fields",
    "three arrays": "SoA",
    "staged": "12-byte struct staged through shared memory, 4-byte loads",
}


def sectors_of(elements: ArrayLike, width: int) -> int:
    """What one warp's load of these elements takes on an H200."""
    addresses = BASE + width * np.asarray(elements, np.int64)  # a browser's integers have 32 bits
    return int(coalescing.transactions([addresses], [np.ones(32, bool)], width, "H200").sectors[0])


def squared(kernel: Any, *data: Any) -> Run:
    """The squares of all points by this kernel, with caches: the counters."""
    output = np.zeros(N, np.float32)
    with profile("H200", caches=True) as run:
        kernel[N // 256, 256](*data, output)
    assert np.allclose(output, POINTS["x"] ** 2 + POINTS["y"] ** 2 + POINTS["z"] ** 2)
    return run


def asked(run: Run) -> int:
    """Sectors that one warp of 32 points asks for."""
    return int(run.global_load_sectors * 32 // N)


def handed_over(stride: int) -> float:
    """Sectors that an H200's DRAM handed over for each one that was asked of L2."""
    caches = recorded("caches")
    (row,) = [row for row in caches["global"] if row[0] == f"sparse_loads<{stride}>"]
    counted = dict(zip(caches["header"]["fields"]["global"], row, strict=False))
    return float(counted["dram__sectors_read.sum"] / counted["lts__t_sectors_srcunit_tex_op_read.sum"])


def strides_figure(sectors: Mapping[int, int]) -> HTML:
    """Useful bandwidth over the stride: what the sectors promise, and what an H200 gave."""
    promised = [READS[1] * sectors[1] / each for each in sectors.values()]
    figure, axes = figures.new(height=3.4)
    axes.plot(list(sectors), promised, "-", color="#000000", label="what the sectors promise")
    colour = figures.style("H200")["color"]
    axes.plot(
        list(sectors), [READS[stride] for stride in sectors], "o", color=colour, label="measured on an H200"
    )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    for ticks, powers in ((axes.set_xticks, range(6)), (axes.set_yticks, range(8, 13))):
        ticks([2**power for power in powers], [str(2**power) for power in powers])
    axes.set(xlabel="stride in floats", ylabel="useful GB/s")
    axes.legend()
    return figures.show(
        figure,
        "Up to stride 8 an H200 loses what the sectors say; stride 16 gives only half of that, because DRAM "
        "hands over 64 bytes at a time.",
        alt="Useful bandwidth over the stride, 1 to 32 floats, both axes logarithmic. What the sectors "
        "promise falls as one over the stride to stride 8 and is flat after it. Measured reads follow it to "
        "stride 8, then fall further to half of it at stride 16.",
    )


def milliseconds(layout: str) -> float:
    """How long an H200 took for 67 million structures."""
    return float(ON_H200[RECORDED[layout]]["ms, median of 11"])


def layouts(runs: Mapping[str, Run]) -> Table:
    """One warp's sectors and an H200's time, layout by layout; the runs agree with what it counted."""
    rows = []
    for name, title in RECORDED.items():
        row, run = ON_H200[title], runs[name]
        counted = (row["load sectors"] // WARPS, row["L2 sectors read by L1"] // WARPS)
        assert counted == (asked(run), run.l2_load_sectors * 32 // N), name
        assert round(100 * (run.l1_hit_rate or 0)) == row["L1 sector hit rate %"], name
        rows.append((name, *counted, f"{row['DRAM bytes read'] / 1e9:.2f}", f"{milliseconds(name):.3f}"))
    headings = ["on an H200", "sectors asked of L1", "read from L2", "DRAM, GB", "ms"]
    return table(rows, headings, "One warp's sectors, and the whole run (tests/hardware/vec3_struct.json)")
