"""What is computed? Seven problems: for gpusim in two languages, NumPy by hand, and Numba's CUDA simulator.

Inputs are chosen so that all give the same bits: sums of small whole numbers are exact in any order.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

import gpusim
from tests.benchmarks import kernels

CPP = Path(__file__).with_name("kernels.cu")
IMPORT_OF_GPUSIM = "from gpusim import cuda"
VALUES_PER_THREAD = 16
INNER = 256  # of a matrix product: every thread makes 256 multiply-adds, however many threads there are
EDGES_PER_NODE = 8
TILES = kernels.TILE, kernels.TILE


Launch = Callable[[Any], None]  # given what has the kernels by their names: a module, or `kernels_in_cpp()`


@dataclass(frozen=True)
class Case:
    """A problem at one size: `launch` runs it in a simulator, `result` is where its result then stands.

    `work` counts what a problem consists of: threads, values, multiply-adds or edges. `launch_cpp` is given
    the kernels of `kernels.cu`: there an array does not know its length.
    """

    kernel: str
    work: int
    launch: Launch
    launch_cpp: Launch
    result: np.ndarray
    by_hand: Callable[[], np.ndarray]


def once(kernel: str, grid: Any, block: Any, *arguments: Any) -> Launch:
    """Launch the kernel of this name as a simulator compiled it."""
    return lambda simulator: getattr(simulator, kernel)[grid, block](*arguments)


def saxpy(threads: int) -> Case:
    random = np.random.default_rng(1)
    x, y = (random.random(threads, dtype=np.float32) for _ in range(2))
    out, a = np.zeros_like(x), np.float32(2.5)
    shape = threads // kernels.THREADS, kernels.THREADS
    launch, launch_cpp = once("saxpy", *shape, a, x, y, out), once("saxpy", *shape, threads, a, x, y, out)
    return Case("saxpy", threads, launch, launch_cpp, out, lambda: a * x + y)


def block_sum(threads: int, kernel: str = "block_sum") -> Case:
    values = np.random.default_rng(2).integers(0, 16, threads).astype(np.float32)
    blocks = threads // kernels.THREADS
    sums = np.zeros(blocks, np.float32)
    length = () if kernel == "shuffle_sum" else (threads,)
    launches = (once(kernel, blocks, kernels.THREADS, values, sums, *more) for more in ((), length))
    return Case(kernel, threads, *launches, sums, lambda: values.reshape(blocks, -1).sum(axis=1))


def shuffle_sum(threads: int) -> Case:
    return block_sum(threads, "shuffle_sum")


def mandelbrot(threads: int) -> Case:
    side = round(threads**0.5)
    counts = np.zeros((side, side), np.int32)
    tiles = (side // kernels.TILE, side // kernels.TILE)
    launches = (once("mandelbrot", tiles, TILES, counts, *more) for more in ((), (side, side)))
    return Case("mandelbrot", side * side, *launches, counts, lambda: _mandelbrot_by_hand(side))


def _mandelbrot_by_hand(side: int) -> np.ndarray:
    """Points that have escaped are dropped, so that no step computes them again."""
    along = np.arange(side)
    real, imaginary = np.tile(-2.0 + 3.0 * along / side, side), np.repeat(-1.5 + 3.0 * along / side, side)
    x, y = np.zeros(side * side), np.zeros(side * side)
    point, counts = np.arange(side * side), np.zeros(side * side, np.int32)
    for _ in range(kernels.STEPS):
        bounded = x * x + y * y <= 4.0
        x, y, real, imaginary, point = (values[bounded] for values in (x, y, real, imaginary, point))
        x, y = x * x - y * y + real, 2.0 * x * y + imaginary
        counts[point] += 1
    return counts.reshape(side, side)


def matrix_product(threads: int) -> Case:
    """(n, 256) times (256, n): with 256 * 256 threads, 256³ multiply-adds."""
    side = round(threads**0.5)
    random = np.random.default_rng(3)
    a, b = (random.integers(-8, 8, shape).astype(np.float32) for shape in ((side, INNER), (INNER, side)))
    c, tiles = np.zeros((side, side), np.float32), (side // kernels.TILE, side // kernels.TILE)
    launches = (once("matrix_product", tiles, TILES, a, b, c, *more) for more in ((), (INNER, side)))
    return Case("matrix_product", side * side * INNER, *launches, c, lambda: a @ b)


def histogram(values: int) -> Case:
    data = np.random.default_rng(4).integers(0, kernels.BINS, values).astype(np.uint8)
    counts = np.zeros(kernels.BINS, np.int32)
    threads = values // VALUES_PER_THREAD

    def launch(simulator: Any, *more: Any) -> None:
        counts[...] = 0
        once("histogram", threads // kernels.THREADS, kernels.THREADS, data, counts, *more)(simulator)

    return Case(
        "histogram",
        values,
        launch,
        lambda simulator: launch(simulator, values),
        counts,
        lambda: np.bincount(data, minlength=kernels.BINS),
    )


def breadth_first_search(edges: int) -> Case:
    """From node 0 of a graph whose nodes have from 1 to hundreds of edges: few have many."""
    nodes = edges // EDGES_PER_NODE
    random = np.random.default_rng(5)
    degrees = np.maximum(1, random.pareto(1.5, nodes) * EDGES_PER_NODE / 2).clip(max=512)
    first_edge = np.r_[0, np.cumsum(np.round(degrees * (edges / degrees.sum())))].clip(max=edges)
    first_edge = first_edge.astype(np.int32)
    target = random.integers(0, nodes, int(first_edge[-1])).astype(np.int32)
    level = np.zeros(nodes, np.int32)
    queues, found = [np.zeros(nodes, np.int32) for _ in range(2)], np.zeros(1, np.int32)

    def launch(simulator: Any) -> None:
        level[...] = -1
        level[0], queues[0][0], size, depth = 0, 0, 1, 0
        while size:
            found[0] = 0
            blocks = -(-size // kernels.THREADS)
            frontier, following = queues[depth % 2], queues[1 - depth % 2]
            depth += 1
            simulator.search_level[blocks, kernels.THREADS](
                first_edge, target, level, depth, frontier, size, following, found
            )
            size = int(found[0])

    return Case(
        "search_level",
        len(target),
        launch,
        launch,
        level,
        lambda: _levels_by_hand(first_edge, target, nodes),
    )


def _levels_by_hand(first_edge: np.ndarray, target: np.ndarray, nodes: int) -> np.ndarray:
    level, frontier, depth = np.full(nodes, -1, np.int32), np.zeros(1, np.int64), 0
    while frontier.size:
        level[frontier] = depth
        starts, counts = first_edge[frontier], np.diff(first_edge)[frontier]
        edges = np.repeat(starts - np.r_[0, np.cumsum(counts)[:-1]], counts) + np.arange(counts.sum())
        reached = np.unique(target[edges])
        frontier, depth = reached[level[reached] < 0], depth + 1
    return level


def kernels_in_cpp() -> SimpleNamespace:
    """The kernels of `kernels.cu`, compiled now: `__name__` is how messages call them together."""
    module = gpusim.RawModule(path=CPP)
    names = re.findall(r"__global__ void (\w+)", module.code)
    return SimpleNamespace(__name__=CPP.name, **{name: module.get_function(name) for name in names})


def kernels_in_numba() -> ModuleType:
    """`kernels.py` with Numba's `cuda` in place of gpusim's. Numba must not have been imported before."""
    os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
    path = Path(kernels.__file__)
    text = path.read_text(encoding="utf-8")
    assert text.count(IMPORT_OF_GPUSIM) == 1
    module = ModuleType("kernels_in_numba")
    exec(compile(text.replace(IMPORT_OF_GPUSIM, "from numba import cuda"), path, "exec"), vars(module))
    return module
