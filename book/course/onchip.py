"""What do the launches and figures of "Configuring on-chip memory" share? Its kernels are passed to them."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course import figures
from course.records import recorded
from gpusim import cuda, cudart, devices
from gpusim.errors import LaunchError

KB = 1024
CARVEOUT = cudart.cudaFuncAttribute.cudaFuncAttributePreferredSharedMemoryCarveout
DYNAMIC = cudart.cudaFuncAttribute.cudaFuncAttributeMaxDynamicSharedMemorySize
SHOWN = ("C2050", "K40", "P100", "GTX 1080", "V100", "T4", "A100", "H200")
DARK = "#111111"  # on a bright bar, in both themes
TABLES = (8, 16, 28, 32, 40, 64, 96, 124, 136, 152, 192, 216, 224, 240, 256, 288, 320)


def launch(kernel: Any, device: str, hint: int, n: int = KB, threads: int = 256) -> Any:
    """The record of a launch that reverses tiles of n floats under this preference."""
    cudart.cudaFuncSetAttribute(kernel, CARVEOUT, hint)
    with gpusim.profile(device) as run:
        kernel[4, threads, 0, 4 * n](np.arange(4 * n, dtype=np.float32), n)
    return run.kernels[0]


def fitting(kernel: Any, device: str, size: int, hint: int = -1, threads: int = 128) -> int:
    """How many blocks with `size` bytes of shared memory, opted in to, does a multiprocessor hold?"""
    before = kernel.max_dynamic_shared_size_bytes
    with gpusim.use(device):
        cudart.cudaFuncSetAttribute(kernel, CARVEOUT, hint)
        kernel.max_dynamic_shared_size_bytes = devices.get(device).shared_bytes_per_block_optin
        _, blocks = cudart.cudaOccupancyMaxActiveBlocksPerMultiprocessor(kernel, threads, size)
    kernel.max_dynamic_shared_size_bytes = before
    return int(blocks)


def read_again(kernel: Any, device: str, hint: int, kilobytes: int, rounds: int = 4) -> Any:
    """One block reads a table several times under this preference."""
    cudart.cudaFuncSetAttribute(kernel, CARVEOUT, hint)
    table, out = np.ones(kilobytes * KB // 4, np.float32), np.zeros(1024, np.float32)
    with gpusim.profile(device, caches=True) as run:
        kernel[1, 1024](table, table.size, rounds, out)
    return run


def take_turns(
    look_up: Any,
    reverse_tiles: Any,
    configs: tuple[str, str],
    hints: tuple[int, int],
    order: str = "ABABABAB",
) -> Any:
    """Launches of look_up (A) and reverse_tiles (B) on a V100, configured by the old call or by hints."""
    names = {"None": cudart.cudaFuncCache.cudaFuncCachePreferNone}
    names |= {"L1": cudart.cudaFuncCache.cudaFuncCachePreferL1}
    names |= {"Shared": cudart.cudaFuncCache.cudaFuncCachePreferShared}
    part, index = np.arange(1024, dtype=np.float32), np.random.default_rng(0).permutation(1024)
    for kernel, config, hint in zip((look_up, reverse_tiles), configs, hints, strict=True):
        cudart.cudaFuncSetCacheConfig(kernel, names[config])
        cudart.cudaFuncSetAttribute(kernel, CARVEOUT, hint)
    with gpusim.profile("V100") as run:
        for kernel in order:
            if kernel == "A":
                look_up[4, 256](part, index.astype(np.int32), np.zeros(1024, np.float32))
            else:
                reverse_tiles[4, 256, 0, 1024](part.copy(), 256)
    for kernel in (look_up, reverse_tiles):
        cudart.cudaFuncSetCacheConfig(kernel, names["None"])
        cudart.cudaFuncSetAttribute(kernel, CARVEOUT, -1)
    return run


def attempts(reverse_fixed: Any, reverse_tiles: Any, floats: int) -> dict[str, str]:
    """What a V100 says to one block with all those floats in shared memory, asked for in three ways."""
    x, says, size = np.arange(floats, dtype=np.float32), {}, 4 * floats
    fresh = cuda.jit(reverse_tiles.py_func)  # one that has not opted in
    dynamic = fresh[1, 256, 0, size]
    for what, kernel, arguments, opt_in in (
        ("static", reverse_fixed[1, 256], (x,), False),
        ("dynamic", dynamic, (x, floats), False),
        ("dynamic, opted in", dynamic, (x, floats), True),
    ):
        try:
            with gpusim.profile("V100") as run:
                if opt_in:
                    cudart.cudaFuncSetAttribute(fresh, DYNAMIC, size)
                kernel(*arguments)
            says[what] = f"runs, with {run.kernels[0].carveout_bytes // KB} KB of shared memory"
        except LaunchError as error:
            says[what] = str(error).partition(" (shared_bytes")[0]
    if not np.array_equal(x, np.arange(floats)[::-1]):
        raise AssertionError("the kernel does not reverse its block")
    return says


def side_by_side() -> dict[str, tuple[float, float]]:
    """What pairs of kernels took on a real H200, by their preferences: in one stream, and in two.

    Of each kernel 132 blocks, so that both meet on every multiprocessor. Half as many overlap fully.
    """
    pairs = recorded("overlap")["pairs"]
    if any(blocks == 66 and one < 1.95 * two for _, blocks, _, one, two in pairs):
        raise AssertionError("the page says that kernels which do not meet lose nothing")
    return {what: (one, two) for what, blocks, size, one, two in pairs if (blocks, size) == (132, KB)}


def calculated(kernel: Any) -> list[tuple[int, int, int, int]]:
    """(preference, bytes, blocks that a real H200's calculator promised, blocks here)."""
    asked = recorded("occupancy")
    return [
        (hint, size, blocks, fitting(kernel, "H200", size, hint))
        for hint, row in asked["carveout"]
        for size, blocks in zip(asked["dynamic_shared_bytes"], row, strict=True)
    ]


def generations() -> Any:
    """The memory of eight GPUs, and every carve-out that they offer."""
    figure, axes = figures.new(height=3.4)
    for row, name in enumerate(SHOWN):
        device = devices.get(name)
        total, offered = device.l1_and_shared_bytes / KB, [size / KB for size in device.carveouts_bytes]
        apart, most = len(offered) == 1, offered[-1]
        shared = "shared memory, at most" if row == 0 else None
        l1 = {"C2050": "always L1", "P100": "L1, a memory of its own"}.get(name)
        look = {"color": "#F0E442", "hatch": "//"} if apart else {"color": "#E69F00"}
        axes.barh(row, most, color="#56B4E9", edgecolor=DARK, label=shared)
        axes.barh(row, total - most, left=most, edgecolor=DARK, label=l1, **look)
        if not apart:
            axes.plot(offered, [row] * len(offered), "|", color=DARK, markersize=12, markeredgewidth=2)
    axes.barh(0, 0, color="#56B4E9", edgecolor=DARK, hatch="|", label="a carve-out on offer")
    axes.set_yticks(range(len(SHOWN)), [f"{name}, {devices.get(name).year}" for name in SHOWN])
    axes.invert_yaxis()
    axes.set(xlabel="KB in each multiprocessor")
    axes.legend(loc="upper right")
    return figure


def staircases(kernel: Any, threads: int = 256) -> Any:
    """Theoretical occupancy over the shared memory of a block, and what a real H200's calculator said."""
    figure, axes = figures.new(height=3.2)
    for name in ("V100", "A100", "H200"):
        device = devices.get(name)
        sizes = np.arange(2 * KB, device.shared_bytes_per_block_optin + 1, 512)
        blocks = np.array([fitting(kernel, name, int(size), threads=threads) for size in sizes])
        look = figures.style(name) | {"marker": ""}
        share = 100 * blocks * threads / 32 / device.max_warps_per_multiprocessor
        axes.step(sizes / KB, share, where="post", label=name, **look)
    asked = recorded("occupancy")
    column, rows = asked["block_sizes"].index(threads), dict(asked["blocks_per_sm"])["kreg24"]
    answers = zip(asked["dynamic_shared_bytes"], (row[column] for row in rows), strict=True)
    seen = [(size, blocks) for size, blocks in answers if 2 * KB <= size <= 227 * KB]
    if any(fitting(kernel, "H200", size, threads=threads) != blocks for size, blocks in seen):
        raise AssertionError("the caption says that every ring lies on the line")
    rings = figures.style("H200") | {"linestyle": "", "markerfacecolor": "none", "label": "a real H200"}
    axes.plot([size / KB for size, _ in seen], [100 * blocks * threads / 2048 for _, blocks in seen], **rings)
    axes.set_xscale("log", base=2)
    axes.set_xticks([2, 8, 16, 32, 64, 128, 227], ["2", "8", "16", "32", "64", "128", "227"])
    axes.set(xlabel="shared memory of a block, KB", ylabel="theoretical occupancy, %", ylim=(0, 105))
    axes.legend()
    return figure


def hit_rates(kernel: Any) -> tuple[dict[tuple[int, int], float], dict[tuple[int, int], float]]:
    """Hit rates of L1 by (KB of L1, KB of the table): of the model, and of a real H200."""
    model: dict[tuple[int, int], float] = {}
    real: dict[tuple[int, int], float] = {}
    for hint, shared in ((100, 228), (50, 132), (14, 32)):
        l1 = 256 - shared
        for size in (size for size in TABLES if size <= 1.5 * l1 + 16):
            run = read_again(kernel, "H200", hint, size)
            if run.kernels[0].carveout_bytes != shared * KB:
                raise AssertionError(f"{hint} % does not select {shared} KB")
            model[l1, size] = run.l1_load_hit_rate
        for operator, floats, blocks, rounds, _, taken, sectors, hits, *_ in recorded("carveout")["rereads"]:
            if (operator, blocks, rounds, taken) == (0, 1, 4, shared * KB) and floats // 256 <= 1.5 * l1 + 16:
                real[l1, floats // 256] = hits / sectors
    return model, real


def cliff(model: dict[tuple[int, int], float], real: dict[tuple[int, int], float]) -> Any:
    """Hit rate over the size of the table, with three sizes of L1."""
    figure, axes = figures.new(height=3.2)
    colour = figures.style("H200")["color"]
    for l1, line in ((28, ":"), (124, "--"), (224, "-")):
        for rates, look in ((model, {"linestyle": line}), (real, {"linestyle": "", "marker": "o"})):
            points = sorted((size, 100 * rate) for (of, size), rate in rates.items() if of == l1)
            label = f"{l1} KB of L1" if rates is model else None
            axes.plot(*zip(*points, strict=True), color=colour, markerfacecolor="none", label=label, **look)
    axes.plot([], [], "o", color=colour, markerfacecolor="none", label="a real H200")
    axes.set(xlabel="table, KB", ylabel="hit rate of L1, %", xticks=range(0, 321, 32), ylim=(-3, 80))
    axes.legend()
    return figure
