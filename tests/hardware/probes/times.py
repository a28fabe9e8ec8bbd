"""How long do ordinary kernels take on a GPU, and what do their warps wait for? The launches of `kernels.cu`.

A launch is a row of text, read by `timed.cu` and by `tests/hardware/timed.py`:

`copy 8192 1 256 1 0 F:2097152:zero F:2097152:random i:2097152`: kernel, grid (x, y), block (x, y), dynamic
shared bytes, arguments. `i:5` and `f:1.5` are numbers, `d:0.5` a double; `F:count:fill` is an array of
floats, `I` of ints, `D` of doubles. A fill is `zero`, `random`, `random%m`, `sorted`, `step+m` or `next+m`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.hardware.probes.curves import CLOCK_MHZ, curves
from tests.hardware.probes.tools import Recording, Tools, rounded

STALLS = [
    *("long_scoreboard", "short_scoreboard", "wait", "barrier", "math_pipe_throttle", "lg_throttle"),
    *("mio_throttle", "imc_miss", "drain", "no_instruction", "not_selected", "selected", "dispatch_stall"),
    *("branch_resolving", "membar", "misc"),
]

LONGER = {True: 128, False: 8}  # times as many rounds as the simulator's: the GPU's clock counts microseconds


def kernels(tools: Tools) -> Recording:
    """How long ordinary kernels take, what their warps wait for, and what they move."""
    rows = list(launches())
    answers = tools.program("timed", rows, answers=True)
    metrics = tools.known(
        [
            "gpu__time_duration.sum",
            "sm__cycles_elapsed.max",
            "smsp__inst_executed.sum",
            "smsp__issue_active.avg.pct_of_peak_sustained_active",
            "sm__warps_active.avg.pct_of_peak_sustained_active",
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
            "lts__t_sectors_srcunit_tex_op_read.sum",
            "dram__bytes_read.sum",
            "dram__bytes_write.sum",
            *(f"smsp__average_warps_issue_stalled_{name}_per_issue_active.ratio" for name in STALLS),
        ]
    )
    counted, _ = tools.count("timed", metrics, rows)
    found = [
        [row, *json.loads(answer), *(rounded(counts[metric]) for metric in metrics)]
        for row, answer, counts in zip(rows, answers, counted[1::2], strict=True)
    ]
    keys = [
        "launch (probes/times.py)",
        "microseconds, median of 21",
        "registers",
        "blocks per multiprocessor",
    ]
    what = "Times of the kernels of kernels.cu, with warm caches: what a model of time is judged by"
    return {"header": tools.header(what, {"rows": [*keys, *metrics]}), "rows": found}


def curves_again(tools: Tools) -> Recording:
    """The same curves from these kernels: microseconds of the short and the long launch, and the value."""
    all_of_them = list(curves())
    pairs = [(each, *pair) for each in all_of_them for pair in each.launches(LONGER[each.alone])]
    rows = [row for _, short, long, _ in pairs for row in (short, long)]
    took = [json.loads(answer)[0] for answer in tools.program("timed_curves", rows, answers=True)]
    keys = [key for each in all_of_them for key in each.keys]
    found = []
    for (each, short, _, work), key, brief, full in zip(pairs, keys, took[::2], took[1::2], strict=True):
        value = each.value(max(full - brief, 1e-3) * CLOCK_MHZ, work)
        found.append([each.label, list(key), short, brief, full, float(f"{value:.5g}")])
    fields = [
        "curve",
        "point",
        "short launch",
        "its microseconds",
        "the long one's",
        "value as in timing.json",
    ]
    what = "The curves of timing.json from the kernels of curves.cu: what further rounds take"
    return {"header": tools.header(what, {"rows": fields}, caches="none"), "rows": found}


def launches() -> Iterator[str]:
    """All of them, small and large, one after the other."""
    for n in (1 << 14, 1 << 18, 1 << 22, 1 << 25):
        blocks = n // 256
        yield f"copy {blocks} 1 256 1 0 F:{n}:zero F:{n}:random i:{n}"
        yield f"saxpy {blocks} 1 256 1 0 F:{n}:zero F:{n}:random f:2 i:{n}"
    for block in (32, 64, 128, 512, 1024):
        yield f"copy {(1 << 22) // block} 1 {block} 1 0 F:{1 << 22}:zero F:{1 << 22}:random i:{1 << 22}"
    for n in (1 << 18, 1 << 22, 1 << 25):
        yield f"copy_in_fours {n // 1024} 1 256 1 0 F:{n}:zero F:{n}:random i:{n // 4}"
        yield f"copy_looping 1056 1 256 1 0 F:{n}:zero F:{n}:random i:{n}"
    for stride in (2, 4, 8, 16, 32):
        n = 1 << 20
        yield f"copy_strided {n // 256} 1 256 1 0 F:{n}:zero F:{n * stride}:random i:{n} i:{stride}"
    for shift in (1, 8, 17):
        n = 1 << 22
        yield f"copy_shifted {n // 256} 1 256 1 0 F:{n}:zero F:{n + 32}:random i:{n} i:{shift}"
    for n, among in ((1 << 20, 1 << 10), (1 << 20, 1 << 16), (1 << 20, 1 << 24)):
        yield f"gather {n // 256} 1 256 1 0 F:{n}:zero F:{among}:random I:{n}:random%{among} i:{n}"
    for n in (256, 1024, 4096):
        for way in ("plain", "tiled", "padded"):
            yield f"transpose_{way} {n // 32} {n // 32} 32 8 0 F:{n * n}:zero F:{n * n}:random i:{n}"
    for blocks in (64, 1024, 16384):
        for way in ("interleaved", "sequential"):
            yield f"reduce_{way} {blocks} 1 256 1 0 F:{blocks}:zero F:{256 * blocks}:random"
        yield f"scan_blocks {blocks} 1 512 1 0 F:{512 * blocks}:zero F:{512 * blocks}:random"
        yield f"sort_blocks {blocks} 1 512 1 0 I:{512 * blocks}:random%100000"
    for n in (1 << 18, 1 << 22, 1 << 25):
        yield f"reduce_by_shuffles 264 1 512 1 0 F:1:zero F:{n}:random i:{n}"
    for bins in (1, 16, 256):
        n = 1 << 22
        yield f"histogram_global 1056 1 256 1 0 I:256:zero I:{n}:random%{bins} i:{n}"
        yield f"histogram_shared 1056 1 256 1 0 I:256:zero I:{n}:random%{bins} i:{n}"
    for n in (128, 512, 1024):
        square = f"F:{n * n}:zero F:{n * n}:random F:{n * n}:random i:{n}"
        yield f"product_plain {n // 16} {n // 16} 16 16 0 {square}"
        yield f"product_plain {n // 32} {n // 8} 32 8 0 {square}"
        yield f"product_tiled {n // 16} {n // 16} 16 16 0 {square}"
    for n in (512, 2048, 4096):
        yield f"row_times_vector {n // 8} 1 256 1 0 F:{n}:zero F:{n * n}:random F:{n}:random i:{n}"
        yield f"thread_times_vector {n // 64} 1 64 1 0 F:{n}:zero F:{n * n}:random F:{n}:random i:{n}"
    for n in (1 << 18, 1 << 22, 1 << 24):
        yield f"stencil_line {n // 256} 1 256 1 0 F:{n}:zero F:{n}:random i:{n}"
        yield f"stencil_line_shared {n // 256} 1 256 1 0 F:{n}:zero F:{n}:random i:{n}"
    for n in (512, 2048, 4096):
        yield f"stencil_plane {n // 32} {n // 8} 32 8 0 F:{n * n}:zero F:{n * n}:random i:{n}"
    for n in (1024, 8192, 32768):
        yield f"bodies {n // 256} 1 256 1 0 F:{n}:zero F:{n}:random i:{n}"
    for n in (1 << 12, 1 << 20, 1 << 24):
        yield f"search 4096 1 256 1 0 I:1048576:zero I:{n}:sorted I:1048576:random%{2 * n} i:{n} i:1048576"
    for width, most in ((256, 64), (1024, 64), (1024, 512)):
        yield f"mandelbrot {width // 32} {width // 8} 32 8 0 I:{width * width}:zero i:{width} i:{most}"
    for rows_, each in ((1 << 14, 8), (1 << 18, 8), (1 << 16, 64)):
        arrays = f"I:{rows_ + 1}:step+{each} I:{rows_ * each}:random%{rows_} F:{rows_ * each}:random"
        yield f"sparse_rows {rows_ // 256} 1 256 1 0 F:{rows_}:zero {arrays} F:{rows_}:random i:{rows_}"
    for warps in (1, 2, 4, 8, 16, 32, 64):
        threads = 32 * warps if warps < 32 else 1024
        blocks = 132 * max(warps // 32, 1)
        floats = f"F:{blocks * threads}:random"
        yield f"chain_of_products {blocks} 1 {threads} 1 0 {floats} f:0.5 i:8192"
        yield f"four_chains_of_products {blocks} 1 {threads} 1 0 {floats} f:0.5 i:8192"
        yield f"chain_of_doubles {blocks} 1 {threads} 1 0 D:{blocks * threads}:random d:0.5 i:4096"
        yield f"chain_of_roots {blocks} 1 {threads} 1 0 {floats} i:4096"
        yield f"chain_of_barriers {blocks} 1 {threads} 1 0 {floats} i:4096"
        for words in (1 << 10, 1 << 20, 1 << 26):
            array = f"I:{blocks * threads}:zero I:{words}:next+{words // 2 + 33}"
            if blocks * threads <= words:
                yield f"chain_of_loads {blocks} 1 {threads} 1 0 {array} i:1024"
    for room in (0, 16384, 32768, 65536, 114688, 227328):
        yield f"chain_with_room 4224 1 128 1 {max(room, 512)} F:540672:random f:0.5 i:1024"
