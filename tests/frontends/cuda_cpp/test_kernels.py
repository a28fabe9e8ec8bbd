"""Do the kernels that textbooks, samples and verification suites are made of give what NumPy gives?"""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from math import erf, sqrt
from typing import Any

import numpy as np
import pytest

import gpusim
from gpusim.errors import InvalidMask
from tests.frontends.cuda_cpp.launches import compare, floats, fresh, function, integers, launch

I4, U4, F4, F8, U8 = np.int32, np.uint32, np.float32, np.float64, np.uint64


def zeros(shape: Any, dtype: Any = I4) -> Any:
    return np.zeros(shape, dtype)


# reductions -----------------------------------------------------------------------------------------------


def reduction(name: str, elements: int) -> None:
    x, out = integers(512 * elements), zeros(4)
    function("reductions.cu", name)((4,), (128,), (x, out), shared_mem=512)
    compare(out, x.reshape(4, -1).sum(1))


@pytest.mark.parametrize(
    ("name", "elements"), [("reduce1", 1), ("reduce2", 1), ("reduce3", 1), ("reduce4", 2)]
)
def test_reduction_in_steps(machine, name, elements):
    reduction(name, elements)


@pytest.mark.parametrize("name", ["reduce5", "reduce6<128>"])
def test_a_reduction_whose_last_32_threads_are_a_warp(scheduling, name):
    with gpusim.use("H200", scheduling=scheduling):
        reduction(name, 2)


def test_the_last_32_threads_are_half_a_warp_of_64():
    with gpusim.use("MetaX C500", scheduling="stack"), pytest.raises(InvalidMask, match=r"reductions\.cu:71"):
        reduction("reduce5", 2)


@launch("reductions.cu", 3, 64, name="reduce7<double, 64>")
def test_reduction_of_many_elements_a_thread():
    x = floats(1000, dtype=F8)
    owner = np.arange(1000) // 128 % 3
    return (x, zeros(3, F8), 1000), {1: [x[owner == b].sum() for b in range(3)]}


@launch("reductions.cu", 1, 64)
def test_argmin():
    x = floats(777)
    expected = np.zeros(1, [("value", "f4"), ("index", "i4")])
    expected[0] = x.min(), x.argmin()
    return (x, 777, np.zeros_like(expected)), {2: expected}


# scans ----------------------------------------------------------------------------------------------------


@launch("scans.cu", 1, 64, shared=512)
def test_hillis_steele():
    x = integers(64)
    return (x, zeros(64), 64), {1: x.cumsum()}


@launch("scans.cu", 1, 64, shared=4 * 132)
def test_blelloch():
    x = integers(128)
    return (x, zeros(128), 128), {1: x.cumsum() - x}


def test_a_scan_over_blocks_takes_three_launches(machine):
    x, sums, total = integers(512), zeros(8), zeros(1)
    data = x.copy()
    function("scans.cu", "scan_blocks")[8, 64](data, sums)
    function("scans.cu", "scan_blocks")[1, 8](sums, total)
    function("scans.cu", "add_sums")[8, 64](data, sums)
    compare(data, x.cumsum())
    assert total[0] == x.sum()


@launch("scans.cu", 1, 64)
def test_compact():
    x = integers(64)
    kept = x[x % 3 == 0]
    return (x, zeros(64), zeros(1)), {1: np.pad(kept, (0, 64 - kept.size)), 2: [kept.size]}


def test_radix_sort_takes_a_launch_for_each_bit(machine):
    x = integers(64, 0, 1024, U4)
    keys, step = x.copy(), function("scans.cu", "radix_step")
    for bit in range(10):
        step[1, 64](keys, bit)
    compare(keys, np.sort(x))


# sorting --------------------------------------------------------------------------------------------------


def test_bitonic_sort_of_a_grid(machine):
    x = floats(128)
    values, step, k = x.copy(), function("sorting.cu", "bitonic_step"), 2
    while k <= 128:
        j = k // 2
        while j:
            step[2, 64](values, j, k)
            j //= 2
        k *= 2
    compare(values, np.sort(x))


@launch("sorting.cu", 1, 64)
def test_bitonic_shared():
    keys = np.random.default_rng(3).permutation(128).astype(I4)
    return (keys, np.arange(128, dtype=I4)), {0: np.arange(128), 1: np.argsort(keys)}


@launch("sorting.cu", 1, 32)
def test_odd_even_sort():
    x = integers(51)
    return (x, 51), {0: np.sort(x)}


@launch("sorting.cu", 3, 32)
def test_rank_sort():
    x = integers(90).astype(F4)
    return (x, zeros(90, F4), 90), {1: np.sort(x)}


@launch("sorting.cu", 1, 16)
def test_merge():
    a, b = np.sort(integers(70)), np.sort(integers(55))
    return (a, 70, b, 55, zeros(125)), {4: np.sort(np.concatenate([a, b]))}


def test_string_search(machine):
    text, pattern = "the warp that waits for the other warp warps", "warp"
    letters = [np.frombuffer(s.encode() + b"\0", np.int8) for s in (text, pattern)]
    found, count = zeros(10), zeros(1)
    function("sorting.cu", "string_search")((2,), (32,), (letters[0], len(text), letters[1], found, count))
    assert sorted(found[: count[0]]) == [4, 34, 39]


# matrices -------------------------------------------------------------------------------------------------


@launch("matrices.cu", (2, 3), (16, 4))
def test_copy_tiles():
    x = floats(48, 32)
    return (zeros((48, 32), F4), x), {0: x}


@pytest.mark.parametrize("name", ["transpose_naive", "transpose_tiled", "transpose_padded"])
def test_transposes(machine, name):
    x, out = floats(40, 50), zeros((50, 40), F4)
    function("matrices.cu", name)((4, 3), (16, 4), (out, x, 50, 40))
    compare(out, x.T)


@launch("matrices.cu", (2, 2), (16, 16))
def test_matmul_naive():
    a, b = floats(24, 24), floats(25, 24)[:24]
    return (a, b, zeros((24, 24), F4), 24), {2: a @ b}


@launch("matrices.cu", (3, 3), (8, 8), name="matmul_tiled<8>")
def test_matmul_tiled():
    a, b = floats(20, 30), floats(30, 23)
    return (a, b, zeros((20, 23), F4), 20, 23, 30), {2: a @ b}


@launch("matrices.cu", (2, 1), 64, name="matmul_registers<32, 32, 8, 4, 4>")
def test_matmul_registers():
    a, b, c = floats(32, 16), floats(16, 64), floats(32, 64)
    return (64, 16, 2.0, a, b, 0.5, c), {6: 2 * a @ b + 0.5 * c}


def test_matmul_with_sub_matrices(machine):
    a, b, c = floats(16, 24), floats(24, 16), zeros((16, 16), F4)
    structs = [
        {"width": m.shape[1], "height": m.shape[0], "stride": m.shape[1], "elements": m} for m in (a, b, c)
    ]
    function("matrices.cu", "matmul_structs")((2, 2), (8, 8), tuple(structs))
    compare(c, a @ b)


@launch("matrices.cu", 7, 64)
def test_matrix_vector():
    a, x = floats(7, 100, dtype=F8), floats(100, dtype=F8)
    return (a, x, zeros(7, F8), 100), {2: a @ x}


def test_elimination_takes_a_launch_for_each_pivot(machine):
    a, b = floats(6, 6, dtype=F8) + 4 * np.eye(6), floats(6, dtype=F8)
    augmented = np.concatenate([a, b[:, None]], 1)
    for pivot in range(6):
        function("matrices.cu", "eliminate")[1, 8](augmented, 6, pivot)
    compare(augmented[:, 6] / augmented[:, :6].diagonal(), np.linalg.solve(a, b))


# stencils and pictures ------------------------------------------------------------------------------------


@launch("stencils.cu", 2, 64)
def test_stencil_1d():
    x = integers(134)
    return (x, zeros(134)), {1: np.pad(np.convolve(x, np.ones(7, I4), "valid"), 3)}


@launch("stencils.cu", (2, 3), (16, 8))
def test_heat_2d():
    x = floats(24, 32)
    p = np.pad(x.astype(F8), 1)
    expected = x + 0.1 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * x.astype(F8))
    return (x, zeros((24, 32), F4), 32, 24, 0.1), {1: expected}


@launch("stencils.cu", (2, 2), (8, 4))
def test_stencil_3d():
    x = floats(6, 8, 10)
    w, expected = x.astype(F8), zeros((6, 8, 10), F4)
    centre = (slice(1, -1),) * 3
    neighbours = sum(np.roll(w, shift, axis) for axis in range(3) for shift in (1, -1))
    expected[centre] = (neighbours - 6 * w)[centre]
    return (x, zeros((6, 8, 10), F4), 10, 8, 6), {1: expected}


def test_convolution_with_a_constant_mask(machine):
    module, x, out = fresh("stencils.cu"), floats(100), zeros(100, F4)
    weights = np.array([0.1, 0.2, 0.4, 0.2, 0.1], F4)
    module.get_global("mask")[:] = weights
    module.get_function("convolution_1d")((4,), (32,), (x, out, 100))
    compare(out, np.convolve(x, weights, "same"))


def test_game_of_life(machine):
    now = (floats(20, 30) > 0.3).astype(np.uint8)
    expected, step = now.copy(), function("stencils.cu", "game_of_life")
    for _ in range(3):
        following = np.zeros_like(now)
        step((2, 3), (16, 8), (now, following, 30, 20))
        now = following
        around = sum(
            np.roll(expected, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx
        )
        expected = ((around == 3) | (around == 2) & (expected == 1)).astype(np.uint8)
    compare(now, expected)


@launch("stencils.cu", (2, 2), (16, 8))
def test_sobel():
    image = integers(512, 0, 256, np.uint8).reshape(16, 32)
    p = np.pad(image.astype(I4), 1, "edge")
    columns = p[:-2] + 2 * p[1:-1] + p[2:]
    rows = p[:, :-2] + 2 * p[:, 1:-1] + p[:, 2:]
    edges = np.abs(columns[:, 2:] - columns[:, :-2]) + np.abs(rows[2:] - rows[:-2])
    return (image, zeros((16, 32), np.uint8), 32, 16), {1: np.minimum(edges, 255)}


@launch("stencils.cu", (2, 2), (16, 8))
def test_bilateral():
    image, radius = floats(12, 20), 2
    padded = np.pad(image.astype(F8), radius, constant_values=np.nan)
    total = weights = np.zeros((12, 20))
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            v = padded[radius + dy : radius + dy + 12, radius + dx : radius + dx + 20]
            weight = np.exp(-(dx * dx + dy * dy) / (2 * 1.5**2)) * np.exp(-((v - image) ** 2) / (2 * 0.5**2))
            total, weights = total + np.nan_to_num(weight * v), weights + np.nan_to_num(weight)
    return (image, zeros((12, 20), F4), 20, 12, radius, 1.5, 0.5), {1: total / weights}


@launch("stencils.cu", 2, 64)
def test_grey():
    colours = integers(300, 0, 256, np.uint8).reshape(100, 3)
    grey = colours.astype(F4) @ np.array([0.299, 0.587, 0.114], F4) + F4(0.5)
    return (colours, zeros(100, np.uint8), 100), {1: grey.astype(np.uint8)}


# simulations ----------------------------------------------------------------------------------------------


@launch("simulations.cu", 2, 32, shared=512)
def test_n_body():
    bodies = floats(64, 4)
    bodies[:, 3] = np.abs(bodies[:, 3])
    apart = bodies[None, :, :3].astype(F8) - bodies[:, None, :3]
    distance = (apart**2).sum(2) + 0.01
    pulls = (bodies[None, :, 3] * distance**-1.5)[..., None] * apart
    return (bodies, zeros((64, 4), F4), 64), {1: np.pad(pulls.sum(1), ((0, 0), (0, 1)))}


@launch("simulations.cu", (3, 3), (16, 8))
def test_mandelbrot():
    width, height, x0, y0, step, limit = 40, 24, -2.0, -1.2, 0.1, 30
    c = x0 + np.arange(width) * step + 1j * (y0 + np.arange(height)[:, None] * step)
    z, counts = np.zeros_like(c), zeros((height, width))
    for _ in range(limit):
        bounded = (z.real**2 + z.imag**2 <= 4) & (counts >= 0)
        counts += bounded
        z = np.where(bounded, z * z + c, 1e9)
    return (zeros((height, width)), width, height, x0, y0, step, limit), {0: counts}


@launch("simulations.cu", 2, 48)
def test_monte_carlo():
    state, hits = (1234 + 977 * np.arange(96, dtype=np.int64)) % 2**32, 0
    for _ in range(20):
        x = state = (1664525 * state + 1013904223) % 2**32
        y = state = (1664525 * state + 1013904223) % 2**32
        x, y = x >> 16, y >> 16
        hits += (x * x // 4 + y * y // 4 < 65536 * (65536 // 4)).sum()
    return (1234, 20, zeros(1)), {2: [hits]}


@launch("simulations.cu", 2, 20)
def test_random_walk():
    states, positions = integers(40, 1, 2**62, U8), integers(40, 0, 10)
    x, at = states.copy(), positions.copy()
    for _ in range(12):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        at = (at + np.where(x & np.uint64(1), 1, 9)) % 10
    return (states, positions, 12, 10), {0: x, 1: at}


@launch("simulations.cu", 1, 64)
def test_wave():
    now = np.exp(-(((np.arange(64) - 20) / 4) ** 2)).astype(F4)
    now[[0, -1]] = 0
    past = present = now.astype(F8)
    for _ in range(7):
        past, present = present, 2 * present - past
        present[1:-1] += 0.25 * np.diff(past, 2)
        present[[0, -1]] = 0
    # three buffers, seven rounds: the newest values end where the first round wrote
    return (now.copy(), now, zeros(64, F4), 64, 7, 0.25), {2: present}


@launch("simulations.cu", 1, 64, tolerance=1e-3)
def test_black_scholes():
    options = np.array([20, 20, 1], F4) + np.array([10, 5, 0.5], F4) * floats(50, 3)
    price, strike, years = options.astype(F8).T
    root, discount = 0.3 * np.sqrt(years), np.exp(-0.02 * years)
    d1 = (np.log(price / strike) + (0.02 + 0.3**2 / 2) * years) / root
    below = [np.array([(1 + erf(v / sqrt(2))) / 2 for v in d]) for d in (d1, d1 - root)]
    call = price * below[0] - strike * discount * below[1]
    put = call - price + strike * discount
    return (options, zeros((50, 2), F4), 0.02, 0.3, 50), {1: np.stack([call, put], 1)}


# graphs and lists -----------------------------------------------------------------------------------------


def graph(vertices: int) -> tuple[Any, Any]:
    """Offsets and targets of a graph with a few edges a vertex; the last vertex is alone."""
    rng = np.random.default_rng(vertices)
    edges = [sorted(set(rng.integers(0, vertices - 1, 2)) - {v}) for v in range(vertices - 1)] + [[]]
    offsets = np.cumsum([0, *map(len, edges)])
    return offsets.astype(I4), np.concatenate(edges).astype(I4)


def distances(offsets: Any, targets: Any) -> list[int]:
    levels, queue = {0: 0}, deque([0])
    while queue:
        v = queue.popleft()
        for to in targets[offsets[v] : offsets[v + 1]]:
            if int(to) not in levels:
                levels[int(to)] = levels[v] + 1
                queue.append(int(to))
    return [levels.get(v, -1) for v in range(len(offsets) - 1)]


def test_breadth_first_search_by_levels(machine):
    offsets, targets = graph(60)
    levels, level, step = np.full(60, -1, I4), 0, function("graphs.cu", "bfs_level")
    levels[0] = 0
    while True:
        changed = zeros(1)
        step[2, 32](offsets, targets, levels, 60, level, changed)
        if not changed[0]:
            break
        level += 1
    assert levels.tolist() == distances(offsets, targets)


def test_breadth_first_search_with_a_queue(machine):
    offsets, targets = graph(60)
    levels, frontier, size, level = np.full(60, -1, I4), zeros(60), 1, 0
    levels[0] = 0
    while size:
        following, count, level = zeros(60), zeros(1), level + 1
        function("graphs.cu", "bfs_frontier")(
            (2,), (32,), (offsets, targets, levels, frontier, size, following, count, level)
        )
        frontier, size = following, int(count[0])
    assert levels.tolist() == distances(offsets, targets)


def test_sparse_rows_in_a_struct(machine):
    dense = np.where(floats(40, 30) > 0.6, floats(40, 30), 0).astype(F4)
    rows, columns = np.nonzero(dense)
    offsets = np.searchsorted(rows, np.arange(41)).astype(I4)
    x, y = floats(30), np.ones(40, F4)
    matrix = {"rows": 40, "offsets": offsets, "columns": columns.astype(I4), "values": dense[rows, columns]}
    function("graphs.cu", "spmv_csr")((2,), (32,), (matrix, x, y))
    compare(y, 1 + dense @ x)


@launch("graphs.cu", 2, 32)
def test_spmv_ell():
    values, x = floats(40, 4), floats(30)
    columns = integers(160, -3, 30).reshape(40, 4)
    products = np.where(columns >= 0, values * x[columns], 0)
    arguments = 40, 4, np.ascontiguousarray(columns.T), np.ascontiguousarray(values.T), x, zeros(40, F4)
    return arguments, {5: products.sum(1)}


def test_lists_are_followed_from_pointer_to_pointer(machine):
    order = np.random.default_rng(5).permutation(12).astype(I4)
    nodes = gpusim.cuda.to_device(np.zeros(12, np.dtype([("value", "i4"), ("next", "u8")], align=True)))
    function("graphs.cu", "link")((1,), (12,), (nodes, order, 12))
    sums, lengths = zeros(12), zeros(12)
    function("graphs.cu", "traverse")((1,), (12,), (nodes, order, sums, lengths))
    compare(lengths, 12 - np.arange(12))
    compare(sums, np.cumsum((np.arange(12) ** 2)[::-1])[::-1])


def test_a_search_tree(machine):
    keys = [50, 25, 75, 10, 30, 60, 90]
    tree = np.array(
        [(50, 1, 2), (25, 3, 4), (75, 5, 6), (10, -1, -1), (30, -1, -1), (60, -1, -1), (90, -1, -1)],
        [("key", "i4"), ("left", "i4"), ("right", "i4")],
    )
    depths = zeros(8)
    function("graphs.cu", "tree_search")((1,), (8,), (tree, np.array([*keys, 31], I4), depths))
    assert depths.tolist() == [0, 1, 1, 2, 2, 2, 2, -1]


@launch("graphs.cu", 1, 50)
def test_list_ranks():
    order = np.random.default_rng(6).permutation(50)
    following, ranks = zeros(50), zeros(50)
    for place, (here, there) in enumerate(pairwise(order)):
        following[here], ranks[here] = there, 49 - place
    following[order[-1]] = order[-1]
    return (following, (ranks > 0).astype(I4), 50), {1: ranks}


# learning -------------------------------------------------------------------------------------------------


@launch("learning.cu", 5, 64)
def test_softmax():
    x = floats(5, 100) * 20
    powers = np.exp(x.astype(F8) - x.max(1, keepdims=True))
    return (x, zeros((5, 100), F4), 100), {1: powers / powers.sum(1, keepdims=True)}


@launch("learning.cu", 4, 64, tolerance=1e-4)
def test_layer_norm():
    x, gamma, beta = floats(4, 90), floats(90), floats(91)[:90]
    w = x.astype(F8)
    normal = (w - w.mean(1, keepdims=True)) / np.sqrt(w.var(1, keepdims=True) + 1e-5)
    return (x, gamma, beta, zeros((4, 90), F4), 90, 1e-5), {3: normal * gamma + beta}


@launch("learning.cu", 1, 32, name="attention_row<8>")
def test_attention_row():
    q, k, v = floats(20, 8), floats(21, 8)[:20], floats(22, 8)[:20]
    scores = np.where(np.tri(20), q.astype(F8) @ k.T / np.sqrt(8), -np.inf)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    return (q, k, v, zeros((20, 8), F4), 20), {3: weights / weights.sum(1, keepdims=True) @ v}


@launch("learning.cu", 2, 64)
def test_quantise():
    x = floats(100)
    return (x, zeros(100, np.int8), 0.005, 100), {1: np.clip(np.rint(x / F4(0.005)), -128, 127)}


@launch("learning.cu", (2, 2), (8, 4))
def test_int8_matmul():
    a, b = integers(128, -128, 128, np.int8).reshape(8, 16), integers(256, -128, 128, np.int8).reshape(16, 16)
    return (a, b, zeros((8, 16)), 16, 16), {2: a.astype(I4) @ b.T.astype(I4)}


@launch("learning.cu", 2, 64, shared=24)
def test_k_means_assign():
    points, centres = floats(100, 2), np.array([[-0.5, 0], [0.5, 0.5], [0.3, -0.6]], F4)
    labels = ((points[:, None] - centres) ** 2).sum(2).argmin(1)
    groups = [points[labels == c] for c in range(3)]
    return (points, centres, 3, zeros(100), zeros((3, 2), F4), zeros(3), 100), {
        3: labels,
        4: [g.astype(F8).sum(0) for g in groups],
        5: [len(g) for g in groups],
    }


@launch("learning.cu", 1, 64)
def test_relu_half():
    x = floats(50, dtype=np.float16)
    wide = x.astype(F4)
    return (x, zeros(50, np.float16), 50), {1: np.where(wide > 0, wide, F4(0.01) * wide).astype(np.float16)}


@launch("learning.cu", 1, 64, tolerance=1e-4)
def test_adam():
    w, g, m, v = (floats(50 + k)[:50] for k in range(4))
    v = np.abs(v)
    m1, v1 = 0.9 * m.astype(F8) + 0.1 * g, 0.999 * v.astype(F8) + 0.001 * g.astype(F8) ** 2
    step = 0.01 * (m1 / (1 - 0.9**3)) / (np.sqrt(v1 / (1 - 0.999**3)) + 1e-8)
    return (w, g, m, v, 50, 0.01, 3), {0: w - step, 2: m1, 3: v1}


# layout of data -------------------------------------------------------------------------------------------


@launch("memory_layout.cu", 2, 32)
def test_copy_float4():
    x = floats(100, 4)
    return (x, zeros((100, 4), F4), 100), {1: x}


@launch("memory_layout.cu", 1, 32)
def test_copy_with_tail():
    x = floats(103)
    return (zeros(103, F4), x, 103), {0: x}


POINT = np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4")])


@launch("memory_layout.cu", 2, 32)
def test_scale_aos():
    points = floats(50, 3).view(POINT)[:, 0].copy()
    return (points, 3.0, 50), {0: (points.view(F4) * 3).view(POINT)}


def test_scale_soa(machine):
    x, y, z = points = [floats(50 + k)[:50].copy() for k in range(3)]
    expected = [3 * v for v in points]
    function("memory_layout.cu", "scale_soa")((2,), (32,), ({"x": x, "y": y, "z": z}, 3.0, 50))
    for found, wanted in zip(points, expected, strict=True):
        compare(found, wanted)


@launch("memory_layout.cu", 1, 32)
def test_strided_copy():
    x, expected = floats(100), zeros(100, F4)
    expected[np.arange(32) * 3 % 100] = x[np.arange(32) * 3 % 100]
    return (zeros(100, F4), x, 100, 3), {0: expected}


@launch("memory_layout.cu", 1, 32)
def test_offset_copy():
    x, expected = floats(40), zeros(40, F4)
    expected[5:37] = x[5:37] + 1
    return (zeros(40, F4), x, 5), {0: expected}


MIXED = np.dtype(
    [("tag", "i1"), ("value", "f8"), ("small", "i2"), ("word", "i4"), ("pair", "f4", 2), ("last", "u1")],
    align=True,
)


def test_structs_are_laid_out_as_the_host_lays_them_out(machine):
    mixed = zeros(6, MIXED)
    mixed["tag"], mixed["small"], mixed["last"] = np.arange(6) - 3, np.arange(6), 10
    mixed["pair"] = [1.5, 0]
    function("memory_layout.cu", "mixed_struct")((1,), (6,), (mixed,))
    compare(mixed["value"], (np.arange(6) - 3) / 2)
    compare(mixed["small"], np.arange(6) - 1)
    assert (mixed["word"] == MIXED.itemsize).all()
    assert (mixed["pair"] == [1.5, 3]).all()
    assert (mixed["last"] == 245).all()


# verification suites --------------------------------------------------------------------------------------


@launch("verification.cu", 1, 64)
def test_swap_with_barrier():
    x = integers(64)
    return (x,), {0: np.roll(x, -1)}


@launch("verification.cu", 1, 64)
def test_benign_race():
    return (zeros(1), integers(64)), {0: [1]}


@launch("verification.cu", 1, 64)
def test_barrier_in_a_loop():
    x = integers(64, 0, 100, U4)
    return (x, 5), {0: np.roll(x, -5) + 2}


@pytest.mark.parametrize("a", [0, 2])
def test_uniform_barrier(machine, a):
    out = zeros(64)
    function("verification.cu", "uniform_barrier")((1,), (64,), (out, a, 1))
    assert (out == 64 + (a > 1)).all()


@launch("verification.cu", 1, 64)
def test_pointer_choice():
    s = np.zeros(64, np.dtype([("x", "i4"), ("y", [("a", "i1"), ("b", "i1")])], align=True))
    s["x"], s["y"]["b"] = np.arange(64), -1
    even, value = np.arange(64) % 2 == 0, np.arange(64) - 1
    expected = s.copy()
    expected["y"]["a"] = value
    return (np.full(64, -9, I4), np.full(64, -9, I4), s), {
        0: np.where(even, value, -9),
        1: np.where(even, -9, value),
        2: expected,
    }


@launch("verification.cu", 1, 64)
def test_strided_ownership():
    x = integers(150)
    return (x, 150), {0: 2 * x + np.arange(150)}


@launch("verification.cu", 1, 64)
def test_attributes():
    x = integers(64)
    return (x,), {0: 2 * x}
