"""Reports of real runs, for every view: all rules of memory, partial warps, errors, and what is left out."""

from __future__ import annotations

from functools import cache

import numpy as np

import gpusim
from gpusim import cuda, cudart
from gpusim.errors import GpuSimError
from gpusim.profile import Run
from gpusim.reports.report import Titled
from tests.hardware.memory import recording
from tests.views import handmade, trees


@cuda.jit(device=True)
def halved(value):
    return value / 2


@cuda.jit
def busy(x, y):
    """Splits, calls, waits at a barrier, uses every memory, and reads more often than a view draws."""
    tile = cuda.shared.array((4, 32), np.float64)
    t = cuda.threadIdx.x
    if t % 3 == 0:
        return
    tile[t % 4, t % 32] = halved(x[3 * t])
    cuda.syncthreads()
    for k in range(6):
        y[t] += tile[0, (t * k) % 32] + x[k * t]
    cuda.atomic.add(tile, (0, t % 8), 1.0)


@cuda.jit
def spin(x):
    while x[0] == 0:
        pass


@cuda.jit
def rotate(x):
    tile = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    x[t] = tile[(t + 1) % 32]


@cuda.jit
def rotate_beyond(x):
    x[cuda.threadIdx.x] = x[cuda.threadIdx.x + 1]
    x[cuda.threadIdx.x + 33] = 1


@cuda.jit
def doubled(x):
    x[cuda.grid(1)] *= 2


def profiled(device: str, **settings) -> Run:
    x, y = np.ones(400), np.zeros(400)
    with gpusim.profile(device, **settings) as run:
        busy[2, (20, 2)](x, y)
    return run


def stopped(device: str) -> Run:
    """A run that an error ended."""
    with gpusim.profile(device, step_budget=50) as run:
        try:
            spin[1, 8](np.zeros(1, np.int32))
        except GpuSimError:
            return run
    raise AssertionError("it never ends")


def explored(kernel, **settings):
    return gpusim.explore_schedules(kernel[1, 32], np.arange(40, dtype=np.int32), schedules=6, **settings)


def timelines(runs: list[Run]) -> list[Titled]:
    """Of one run each, of several, and with sliders: warps shown and left out."""
    launches = {warps: launched(warps) for warps in (1, 4)}
    found = {
        (warps, where): launches[warps].timeline(clocks=60, warm=where == "L2")
        for warps in launches
        for where in ("L2", "DRAM")
    }
    return [
        *(run.timeline(clocks=150, warps=2) for run in runs),
        gpusim.views.timeline(
            launches[4].timeline(first=20, clocks=90), runs[0].timeline(), title="Two"
        ).report,
        gpusim.explore_timeline(found, ("Warps", "Data in"), start=(4, "L2")),
    ]


def launched(warps: int) -> Run:
    with gpusim.profile("H200") as run:
        doubled[1, 32 * warps](np.ones(32 * warps, np.float32))
    return run


def streams(events: bool):
    """Copy in, kernel, copy out, on three streams: with events between them, or without."""
    host, parts = cuda.pinned_array(64), cuda.device_array(64)
    into, work, out = cuda.stream(), cuda.stream(), cuda.stream()
    copied, done = cuda.event(), cuda.event()
    with gpusim.profile() as run:
        parts.copy_to_device(host, stream=into)
        if events:
            copied.record(into)
            copied.wait(work)
        doubled[1, 64, work](parts)
        if events:
            done.record(work)
            done.wait(out)
        parts.copy_to_host(host, stream=out)
        out.synchronize()
        host[0] += 1
    return run.streams()


@cuda.jit
def last_block(x, sums, tickets):
    t, b = cuda.threadIdx.x, cuda.blockIdx.x
    if t == 0:
        sums[b] = x[b]
        cuda.threadfence()
        if cuda.atomic.add(tickets, 0, 1) == cuda.gridDim.x - 1:
            cuda.threadfence()
            sums[0] += sums[1]
    cuda.syncthreads()
    x[0] = t


def accesses():
    """A hand-over between blocks; threads of one block that race; more than there is room for."""
    return gpusim.explore_order(
        last_block[2, 2], np.ones(4), np.zeros(2), np.zeros(1, np.int32), threads=[0, 2, 3]
    )


@cuda.jit
def add_one(data):
    data[cuda.threadIdx.x] = data[cuda.threadIdx.x] + 1


@cuda.jit
def to_out(data, out):
    out[cuda.threadIdx.x] = data[cuda.threadIdx.x]


@cuda.jit
def whole(data, out):
    i = cuda.threadIdx.x
    data[i] = i
    cuda.syncthreads()
    if i == 0:
        add_one[1, 4](data)
        cudart.cudaDeviceSynchronize()
    cuda.syncthreads()
    out[i] = data[i]


@cuda.jit
def launches_a_tail(data, out):
    i = cuda.threadIdx.x
    data[i] = i
    if i == 0:
        add_one[1, 4](data)
        to_out[1, 4, cudart.cudaStreamTailLaunch](data, out)


def seen(cdp=2):
    """What a parent and its children see: by both barriers under CDP1, in a tail launch under CDP2."""
    with gpusim.use(cdp=cdp), gpusim.sanitize("racecheck") as run:
        (whole if cdp == 1 else launches_a_tail)[1, 4](np.zeros(4), np.zeros(4))
    _ = run.findings
    return run._story.report()


@cache
def reports() -> dict[str, list[Titled]]:
    """Of each view, reports of many kinds of runs, and one that is made by hand."""
    runs = [profiled(device) for device in ("H200", "P100", "MetaX C500")]
    old = [profiled(device) for device in ("G80", "GT200")]
    spun = [stopped(device) for device in ("H200", "P100")]
    return {
        "warp_player": [run.warp_report() for run in (*runs, *spun)]
        + [gpusim.views.warp_player(*runs, compare=True).report, handmade.warp_report(32, 64)],
        "block_mapper": [run.block_report() for run in runs] + [handmade.block_report(((4, 4, 4), 32))],
        "bank_view": [run.bank_report() for run in (*runs, *old)]
        + [gpusim.views.bank_view(handmade.bank_report(1, 4), sweep="stride").report],
        "sector_view": [run.sector_report() for run in (*runs, *old)]
        + [gpusim.views.sector_view(handmade.sector_report(1, 4), sweep="stride").report],
        "schedule_explorer": [
            *(explored(rotate, device=device).schedule_report() for device in ("H200", "P100")),
            explored(rotate_beyond).schedule_report(),
            handmade.schedule_report(),
        ],
        "carveout_explorer": [
            runs[1].carveout_report(percents=(-1, 50)),
            gpusim.explore_carveouts(threads=(256, 1024), percents=(-1, 50)),
            gpusim.explore_carveouts(["K40", "G80"], start={"cache_config": "l1"}),
        ],
        "prediction": handmade.predictions(),
        "memory_chart": [
            profiled(device, caches=True).memory_chart() for device in ("H200", "GT200", "MetaX C500")
        ],
        "stride_explorer": [gpusim.explore_strides(), gpusim.explore_strides(widths=(8, 1), offset=3)],
        "occupancy_explorer": [
            gpusim.explore_occupancy(recorded={"H200": recording("occupancy")}),
            gpusim.explore_occupancy(gpusim.occupancy("G80", threads=100, registers_per_thread=11)),
        ],
        "block_placement": [
            gpusim.explore_placement(),
            gpusim.explore_placement({"four": launched(4), "of 4": runs[0].placement()}, title="Runs"),
        ],
        "limits_explorer": [
            gpusim.explore_limits(depth=3, launches=5000).limits_report(),
            gpusim.explore_limits("H200", cdp=2, stack_bytes=2000).limits_report(),
        ],
        "group_map": [
            gpusim.explore_groups(inner=4, collective="shfl_down"),
            gpusim.explore_groups(100, tile=64, lanes=[32]),
            gpusim.explore_groups(groups="labeled", collective="ballot"),
        ],
        "parameter_packer": [
            gpusim.explore_parameters(),
            gpusim.explore_parameters(["bool b", "dim3 d"], True, (1, 2, 3), address_bits=32),
        ],
        "roofline": [
            run.roofline_report(devices=("V100",)) for run in (profiled("H200"), profiled("MetaX C500"))
        ]
        + [gpusim.views.roofline(profiled("G80"), profiled("H200"), labels=["a", "b"]).report],
        "timeline": timelines(runs),
        "happens_before": [
            gpusim.views.happens_before(streams(False), streams(True), labels=["no event", "events"]).report,
            accesses(),
            gpusim.explore_order(doubled[1, 64], np.ones(64), threads=range(0, 64, 8)),
        ],
        "launch_tree": [
            gpusim.views.launch_tree(trees.waiting(1), trees.waiting(2), labels=["CDP1", "CDP2"]).report,
            *(run.growth_report() for run in (trees.many(300), trees.faulting(), trees.refused())),
        ],
        "visibility_view": [seen(), seen(1)],
        "tile_explorer": [gpusim.explore_tile(), gpusim.explore_tile(widths=(16, 4), swizzle=True)],
    }
