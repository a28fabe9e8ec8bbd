"""Do memory spaces, warps, atomics, mathematics and messages of CUDA C++ do what a GPU does?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import gpusim
from gpusim.errors import KernelRaised, LaunchError
from tests.frontends.cuda_cpp.launches import (
    INDEPENDENT,
    LANES_32,
    LANES_64,
    compare,
    floats,
    fresh,
    function,
    integers,
    launch,
)

I4, U4, F4, F8, U8, F2 = np.int32, np.uint32, np.float32, np.float64, np.uint64, np.float16


def zeros(shape: Any, dtype: Any = I4) -> Any:
    return np.zeros(shape, dtype)


# spaces ---------------------------------------------------------------------------------------------------


def test_constant_memory_is_written_by_the_host(machine):
    module, x, y = fresh("spaces.cu"), floats(64), zeros(64, F4)
    module.get_global("coefficients")[:] = np.array([1, -2, 3, 0.5, 0, 0, 0, 0], F4)
    module.get_function("polynomial")((2,), (32,), (x, y, 3))
    compare(y, np.polynomial.polynomial.polyval(x.astype(F8), [1, -2, 3, 0.5]))


def test_device_variables_start_as_written_and_last_from_launch_to_launch(machine):
    module = fresh("spaces.cu")
    for _ in range(2):
        module.get_function("device_variables")((2,), (32,), (50,))
    assert module.get_global("counter").copy_to_host() == [110]
    assert module.get_global("total").copy_to_host() == [2 * sum(range(50)) << 32]
    compare(module.get_global("history").copy_to_host(), [1, 3, 2, 3])


def test_a_struct_in_constant_memory(machine):
    module, x, out = fresh("spaces.cu"), integers(12), zeros(12, F4)
    settings = np.array([(0.5, [10, 20])], [("scale", "f4"), ("offset", "i4", 2)])
    module.get_global("settings").copy_to_device(settings)
    module.get_function("constant_struct")((1,), (12,), (x, out))
    i = np.arange(12)
    table = np.array([[1, 2, 3], [4, 5, 6]])
    compare(out, 0.5 * (x + np.where(i % 2, 20, 10)) + 32 + table[i % 2, i % 3])


def test_a_pointer_that_is_a_device_variable(machine):
    module, memory = fresh("spaces.cu"), gpusim.cuda.to_device(zeros(8))
    module.get_function("point_device_pointer")((1,), (1,), (memory,))
    module.get_function("through_device_pointer")((1,), (8,), (5,))
    assert memory.copy_to_host().tolist() == [0, 3, 6, 9, 12, 0, 0, 0]


@launch("spaces.cu", 1, 64)
def test_reverse_static():
    x = integers(64)
    return (x, 64), {0: x[::-1].copy()}


@launch("spaces.cu", 1, 50, shared=200)
def test_reverse_dynamic():
    x = integers(50)
    return (x, 50), {0: x[::-1].copy()}


@launch("spaces.cu", 1, 40, shared=40 * 13)
def test_carved():
    x = floats(40)
    return (x, zeros(40, F8), 40), {1: np.outer(1 + np.arange(40, dtype=F4), x[x > 0]).astype(F8).sum(1)}


@launch("spaces.cu", 1, 40, shared=320, name="aligned_storage<double>")
def test_aligned_storage():
    x = floats(40, dtype=F8)
    return (x, zeros(40, F8)), {1: np.roll(x, -1)}


@launch("spaces.cu", 3, 48)
def test_broadcast():
    x = integers(144)
    rows = x.reshape(3, 48)
    return (x, zeros(144)), {1: np.repeat(rows[:, 0] - rows[:, -1] + 19, 48)}


@launch("spaces.cu", 1, 64)
def test_shared_by_functions():
    x = integers(64)
    return (x, zeros(64)), {1: np.full(64, (x * x).sum() - x.sum())}


@launch("spaces.cu", (2, 2), (16, 8))
def test_laplacian():
    image, expected = integers(300).reshape(15, 20), zeros((15, 20))
    sides = image[:-2, 1:-1] + image[2:, 1:-1] + image[1:-1, :-2] + image[1:-1, 2:]
    expected[1:-1, 1:-1] = sides - 4 * image[1:-1, 1:-1]
    return (image, zeros((15, 20)), 20, 15), {1: expected}


@pytest.mark.parametrize("bytes_", [0, 196])
def test_dynamic_memory_that_was_not_asked_for_is_out_of_bounds(machine, bytes_):
    with pytest.raises(
        gpusim.errors.OutOfBounds, match=rf"spaces\.cu:66: .* past the end of its {bytes_} bytes"
    ):
        function("spaces.cu", "reverse_dynamic")((1,), (50,), (zeros(50), 50), shared_mem=bytes_)


def test_a_block_cannot_have_more_shared_memory_than_the_device():
    with gpusim.use("H200"), pytest.raises(LaunchError, match="shared"):
        function("spaces.cu", "reverse_dynamic")((1,), (50,), (zeros(50), 50), shared_mem=1 << 20)


# warps ----------------------------------------------------------------------------------------------------


def ballots(flags: Any, lanes: int = 32) -> list[int]:
    return [sum(1 << int(k) for k in np.flatnonzero(warp)) for warp in flags.reshape(-1, lanes)]


@launch("warps.cu", 1, 64, machines=LANES_32)
def test_votes():
    x = integers(64)
    rows = x.reshape(2, 32)
    return (x, zeros(2, U4), zeros(64), zeros(64)), {
        1: ballots(x > 0),
        2: np.repeat((rows > 90).any(1), 32),
        3: np.ones(64),
    }


@launch("warps.cu", 1, 64, machines=LANES_32)
def test_matches():
    x = integers(64, 0, 4)
    same = [ballots(warp == v)[0] for warp in x.reshape(2, 32) for v in warp]
    everyone = 2**32 - 1
    return (x, zeros(64, U4), zeros(64, U4), zeros(64)), {1: same, 2: np.full(64, everyone), 3: np.ones(64)}


@launch("warps.cu", 1, 64, machines=LANES_32)
def test_shuffles():
    x = integers(64)
    rows, lane = x.reshape(2, 32), np.arange(32)
    return (x, *[zeros(64) for _ in range(4)]), {
        1: np.repeat(rows[:, 5], 32),
        2: rows[:, np.where(lane < 2, lane, lane - 2)].ravel(),
        3: rows[:, np.where(lane > 28, lane, lane + 3)].ravel(),
        4: rows[:, lane ^ 9].ravel(),
    }


@launch("warps.cu", 1, 64, machines=LANES_32)
def test_shuffles_in_parts():
    x, lane = floats(64), np.arange(64)
    sums = x.astype(F8)
    for offset in (4, 2, 1):
        sums = sums + np.where(lane % 8 + offset < 8, np.roll(sums, -offset), sums)
    before = np.where(lane % 16 == 0, lane, lane - 1)
    return (x, zeros(64, F4), zeros(64, F4), zeros(64, F8), zeros(64, np.int64)), {
        1: np.repeat(x[::8], 8),
        2: sums,
        3: x[lane ^ 1].astype(F8) / 3,
        4: before << 33,
    }


@launch("warps.cu", 3, 128, machines=LANES_32)
def test_block_reduce():
    x = floats(384)
    return (x, zeros(3, F4)), {1: x.reshape(3, 128).astype(F8).sum(1)}


@launch("warps.cu", 1, 64, machines=LANES_32)
def test_warp_scan():
    x = integers(64)
    return (x, zeros(64)), {1: x.reshape(2, 32).cumsum(1).ravel()}


@launch("warps.cu", 1, 32, machines=LANES_32)
def test_reductions():
    x, y = integers(32, 0, 2**32, U4), integers(32)
    folds = [np.bitwise_and.reduce(x), np.bitwise_or.reduce(x), np.bitwise_xor.reduce(x)]
    total = int(x.sum(dtype=U8)) % 2**32
    return (x, y, zeros(6, U4), zeros(2)), {2: [total, x.min(), x.max(), *folds], 3: [y.min(), y.max()]}


@launch("warps.cu", 1, 32, machines=LANES_32)
def test_partial_masks():
    x = integers(32)
    even = x % 2 == 0
    rank = np.cumsum(even) - 1
    return (x, zeros(32)), {1: np.where(even, x[even][0] * 1000 + rank, -1)}


def test_lanes_that_append_share_one_atomic():
    x, kept, count = integers(300), zeros(300), zeros(1)
    with gpusim.profile(device="H200") as run:
        function("warps.cu", "aggregated_append")((3,), (128,), (x, 300, kept, count))
    assert sorted(kept[: count[0]]) == sorted(x[x > 0])
    assert run.atomics == 10  # one for each of the ten warps that have elements


@launch("warps.cu", 1, 64, machines=LANES_32)
def test_bitonic_in_registers():
    x = integers(64)
    return (x,), {0: np.sort(x.reshape(2, 32), 1).ravel()}


@launch("warps.cu", 1, 96)
def test_block_votes():
    x = integers(96)
    return (x, zeros(96), zeros(96), zeros(96)), {
        1: np.full(96, (x > 0).sum()),
        2: np.ones(96),
        3: zeros(96),
    }


@launch("wide_warps.cu", 1, 128, machines=LANES_64)
def test_wave_votes():
    x = integers(128)
    rows = (x > 0).reshape(2, 64)
    before = np.cumsum(rows, 1) - rows
    sums = x.reshape(2, 64).sum(1)[:, None] + before
    return (x, zeros(2, U8), zeros(128)), {1: ballots(x > 0, 64), 2: sums.ravel()}


@pytest.mark.parametrize(("device", "width"), [("H200", 32), ("MetaX C500", 64)])
def test_warps_of_any_width(device, width):
    lanes, warps = zeros(96), zeros(96)
    with gpusim.use(device):
        function("wide_warps.cu", "any_width")((1,), (24, 4), (lanes, warps))
    compare(lanes, np.arange(96) % width)
    compare(warps, np.arange(96) // width)


# bits -----------------------------------------------------------------------------------------------------


@launch("bits.cu", 1, 32)
def test_bit_intrinsics():
    x, wide = integers(32, 0, 2**32, U4) >> np.arange(32, dtype=U4), integers(32, 0, 2**62, U8)
    x[0] = wide[0] = 0
    rows = []
    for v, w in zip(map(int, x), map(int, wide), strict=True):
        rows.append([v.bit_count(), 32 - v.bit_length(), (v & -v).bit_length()])
        rows.append([w.bit_count(), 64 - w.bit_length(), (w & -w).bit_length()])
    return (x, wide, zeros(192)), {2: np.ravel(rows)}


@launch("bits.cu", 1, 16)
def test_reversed_bits():
    x = integers(16, 0, 2**32, U4)
    mirrored = [int(f"{v:032b}"[::-1], 2) for v in x]
    return (x, zeros(16, U4), zeros(16, U8)), {1: mirrored, 2: [v << 24 for v in mirrored]}


@launch("bits.cu", 1, 32)
def test_byte_permutations():
    x, y = integers(32, 0, 2**32, U4), integers(33, 0, 2**32, U4)[:32]
    bytes_ = np.concatenate([x[:, None].view(np.uint8), y[:, None].view(np.uint8)], 1)
    permuted = np.ascontiguousarray(bytes_[:, [6, 1, 7, 0]]).view(U4).ravel()
    both = [int(h) << 32 | int(low) for h, low in zip(y, x, strict=True)]
    funnel = [(v << k >> 32 ^ v >> 5) % 2**32 for k, v in enumerate(both)]
    return (x, y, zeros(32, U4), zeros(32, U4)), {2: permuted, 3: funnel}


@launch("bits.cu", 1, 32)
def test_high_halves():
    a, b = integers(32, -(2**31), 2**31), integers(33, -(2**31), 2**31)[:32]
    exact = [int(p) * int(q) for p, q in zip(a, b, strict=True)]
    unsigned = [int(p) * int(q) >> 32 for p, q in zip(a.view(U4), b.view(U4), strict=True)]
    return (a, b, zeros(32), zeros(32, U4), zeros(32, np.int64)), {
        2: [p >> 32 for p in exact],
        3: unsigned,
        4: [p >> 32 for p in exact],
    }


@launch("bits.cu", 1, 32)
def test_averages():
    a, b = integers(32), integers(33)[:32]
    return (a, b, zeros(32), zeros(32, U4)), {
        2: (a + b >> 1) * 1000 + (a + b + 1 >> 1) + 3 * a,
        3: np.abs(a - b) + 14,
    }


@launch("bits.cu", 1, 16)
def test_packed_dot_products():
    a, b = integers(64, -128, 128, np.int8), integers(65, -128, 128, np.int8)[:64]
    sums = (a.astype(I4) * b).reshape(16, 4).sum(1)
    return (a.view(I4), b.view(I4), zeros(16)), {2: sums + 100}


@launch("bits.cu", 1, 16)
def test_dot_char4():
    a, b = (
        integers(64, -128, 128, np.int8).reshape(16, 4),
        integers(65, -128, 128, np.int8)[:64].reshape(16, 4),
    )
    return (a, b, zeros(16)), {2: (a.astype(I4) * b).sum(1)}


@launch("bits.cu", 1, 16)
def test_reinterpreted():
    x = floats(16)
    return (x, zeros(16), zeros(16, F4), zeros(16, F8), zeros(16, F4)), {
        1: x.view(I4),
        2: (x.view(I4) + 1).view(F4),
        3: -x.astype(F8) + 1.5,
        4: np.abs(x),
    }


@launch("bits.cu", 1, 8)
def test_rounding_conversions():
    x = np.array([0.5, 1.5, -0.5, -1.5, 2.7, -2.7, 3.0, 0.1], F4)
    rows = np.stack([np.rint(x), np.trunc(x), np.ceil(x), np.floor(x)], 1)
    return (x, zeros(32), zeros(8, F4)), {1: rows.ravel(), 2: np.rint(x) + 3.25}


# atomics --------------------------------------------------------------------------------------------------


@launch("atomics.cu", 2, 50)
def test_integer_atomics():
    x = integers(100)
    parity = [sum(k % 13 == bit for k in range(100)) % 2 << bit for bit in range(13)]
    return (x, zeros(4), np.array([2**32 - 1, 0, 0, 0, 5, 0], U4)), {
        1: [x.sum(), -x.sum(), min(0, x.min()), max(0, x.max())],
        2: [2**32 - 2**20, 127, sum(parity), 0, (5 - 100) % 6, 77],
    }


@launch("atomics.cu", 1, 40)
def test_wide_atomics():
    x = floats(40)
    toggled = 0
    for i in range(40):
        toggled ^= 3 << i
    u = np.array([0, 0, 2**64 - 1, 0], U8)
    return (x, zeros(2, F4), zeros(1, F8), u, zeros(2, np.int64)), {
        1: [x.astype(F8).sum(), 2.5],
        2: [x.astype(F8).sum()],
        3: [40 << 33, 2**40 - 1, 2**64 - 2**40, toggled],
        4: [39 << 34, -39 << 34],
    }


@launch("atomics.cu", 3, 40)
def test_tickets():
    return (zeros(1), zeros(120)), {0: [120], 1: np.ones(120)}


@launch("atomics.cu", 4, 64)
def test_scoped_atomics():
    return (zeros(8), zeros(1), zeros(4, F4), zeros(6, U4)), {
        0: [2016] * 4 + [63] * 4,
        1: [256],
        2: [32] * 4,
        3: [15, 42, 42, 42, 42, 9],
    }


@launch("atomics.cu", 2, 40)
def test_compare_and_swap():
    x = floats(80)
    return (x, zeros(1, F8), np.full(1, 0.125, F4)), {1: [x.astype(F8).sum()], 2: [x.max()]}


def test_a_lock_that_one_thread_of_a_block_takes(machine):
    lock, total = zeros(1), zeros(1)
    function("atomics.cu", "locked_sum")((6,), (64,), ({"state": lock}, total))
    assert (lock[0], total[0]) == (0, 21)


@launch("atomics.cu", 2, 48, machines=INDEPENDENT)
def test_lock_per_lane():
    return (zeros(1), zeros(1)), {0: [0], 1: [96]}


@launch("atomics.cu", 5, 64)
def test_last_block_dot():
    x, y = floats(1000), floats(1001)[:1000]
    dot = x.astype(F8) @ y.astype(F8)
    return (x, y, 1000, zeros(5, F4), zeros(1, F4)), {4: [dot]}


@launch("atomics.cu", 2, 32)
def test_producer_consumer():
    return (zeros(1), zeros(1), zeros(1)), {2: [1235]}


@launch("atomics.cu", 1, 16)
def test_fences():
    x = integers(16)
    return (x,), {0: 2 * x + 1}


@launch("atomics.cu", 1, 16)
def test_cached_loads():
    x, v, numbers = floats(16), floats(16, 4), integers(16)
    rows = np.stack([6 * x + v[:, 0] + v[:, 3] + numbers, *(k + np.arange(16) for k in (1, 2, 3))], 1)
    rows[:, 3] += v[:, 1]
    return (x, v, numbers, zeros(64, F4)), {3: rows.ravel()}


@launch("atomics.cu", 3, 64)
def test_histogram():
    x = integers(1000, 0, 256, np.uint8)
    return (x, 1000, zeros(256, U4)), {2: np.bincount(x, minlength=256)}


# mathematics ----------------------------------------------------------------------------------------------


def elementary(x: Any) -> Any:
    plain = [
        np.sin,
        np.cos,
        np.tan,
        np.arcsin,
        np.arccos,
        np.arctan,
        np.sinh,
        np.cosh,
        np.tanh,
        np.exp,
        np.exp2,
    ]
    logarithms = [np.log(x + 2), np.log2(x + 2), np.log10(x + 2), np.log1p(x + 1)]
    return np.stack([*(f(x) for f in plain), np.expm1(x), *logarithms], 1).ravel()


@launch("mathematics.cu", 1, 24)
def test_elementary():
    x = floats(24, dtype=F8)
    return (x, zeros(24 * 16, F8)), {1: elementary(x)}


@launch("mathematics.cu", 1, 24)
def test_elementary_single():
    x = floats(24)
    return (x, zeros(24 * 16, F4)), {1: elementary(x.astype(F8))}


@launch("mathematics.cu", 1, 24)
def test_powers_and_roots():
    x, y = floats(24), floats(25)[:24]
    a, b = np.abs(x).astype(F8) + 0.5, y.astype(F8)
    columns = [
        a**b,
        a**0.5,
        a**-0.5,
        np.cbrt(b),
        np.hypot(a, b),
        np.arctan2(b, a),
        np.fmod(b * 10, a),
        a * b + 1,
    ]
    columns += [[math.erf(v) for v in b], 10**b, np.copysign(a, b), np.maximum(a - b, 0)]
    return (x, y, zeros(24 * 12, F4)), {2: np.stack(columns, 1).ravel()}


@launch("mathematics.cu", 1, 24, tolerance=1e-6)
def test_overloaded_functions():
    x, n = floats(24), integers(24)
    columns = [
        np.sqrt(np.abs(x)),
        np.abs(n),
        np.abs(x),
        np.full(24, 3),
        np.minimum(n, 3) + np.maximum(x, 0),
        2.0 ** np.fmod(n, 5),
        np.fmin(x, 0.25) + np.fmax(x, 0.75),
        sum(f(x * F4(10)) for f in (np.floor, np.ceil, np.trunc, np.round, np.rint)),
    ]
    return (x, n, zeros(24 * 8, F8)), {2: np.stack(columns, 1).ravel()}


@launch("mathematics.cu", 1, 8)
def test_rounding():
    x = np.array([0.5, 1.5, -0.5, -2.5, 2.7, -2.7, 3.0, 0.1], F4)
    away = np.trunc(x + np.copysign(0.5, x))
    columns = [np.floor(x), np.ceil(x), np.trunc(x), away, np.rint(x), away, np.rint(x)]
    return (x, zeros(56)), {1: np.stack(columns, 1).ravel()}


@launch("mathematics.cu", 1, 6)
def test_classified():
    return (np.array([1, -1, np.inf, -np.inf, np.nan, -0.0], F4), zeros(6)), {1: [4, 12, 2, 10, 1, 12]}


@launch("mathematics.cu", 1, 16)
def test_out_of_line():
    x = floats(16)
    fraction, whole = np.modf(x * F4(10))
    columns = [np.sin(x), np.cos(x), fraction, whole, 2 * x]
    return (x, zeros(80, F4), zeros(16)), {1: np.stack(columns, 1).ravel(), 2: np.frexp(x)[1]}


@launch("mathematics.cu", 1, 16, tolerance=1e-5)
def test_fast_functions():
    x = floats(16)
    columns = [np.sin(x), np.cos(x), np.exp(x), np.log(x + 2)]
    columns += [(x + 2) ** 1.5, x / 3, np.clip(x * 2, 0, 1), 1 / (x + 2)]
    return (x, zeros(128, F4)), {1: np.stack(columns, 1).ravel()}


@launch("mathematics.cu", 1, 1)
def test_constants():
    f, i = np.finfo(F4), np.iinfo(I4)
    expected = [f.max, i.max, np.finfo(F8).eps, math.pi, F4(math.pi), i.min, 2**32 - 1, 1, 1, f.eps]
    return (zeros(10, F8),), {0: expected}


@launch("mathematics.cu", 1, 16)
def test_halves():
    a, b = floats(16, dtype=F2), floats(17, dtype=F2)[:16]
    fused = (a.astype(F8) * b + (a + b)).astype(F2)
    wide = (a.astype(F4) * 2 + 1).astype(F2)
    columns = [fused, np.where(a > b, a - b, -(a * b)), wide, np.where(a < b, np.sqrt(np.abs(b)), a / F2(4))]
    return (a, b, zeros(64, F2)), {2: np.stack(columns, 1).ravel()}


@launch("mathematics.cu", 1, 16)
def test_half_pairs():
    x, y = floats(16, 2, dtype=F2), floats(17, 2, dtype=F2)[:16]
    v = (x.astype(F8) * y + 0.5).astype(F2)
    sums = v.astype(F4).sum(1) + x[:, 0] + y[:, 1]
    return (x, y, zeros((16, 2), F2), zeros(16, F4)), {
        2: v + np.stack([x[:, 0], np.ones(16, F2)], 1),
        3: sums,
    }


@launch("mathematics.cu", 2, 16)
def test_half_saxpy():
    x, y = floats(30, dtype=F2), floats(31, dtype=F2)[:30]
    return (F2(0.5), x, y, 30), {2: F2(0.5) * x + y}


# messages -------------------------------------------------------------------------------------------------


def test_printf_says_it_once_a_thread(machine, capsys):
    function("messages.cu", "hello")((2,), (3,), ())
    lines = [f"hello from thread {t} of block {b}" for b in range(2) for t in range(3)]
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(lines)


def test_texts_are_arrays_of_characters(machine):
    out = zeros(4 * 32)
    function("messages.cu", "texts")((1,), (32,), (out,))
    for t in range(32):
        parity = "odd" if t % 2 else "even"
        assert out[4 * t : 4 * t + 4].tolist() == [len(parity), ord(parity[0]), ord(f"{t % 16:x}"), 0]


def test_printf_formats_as_c_does(capsys):
    function("messages.cu", "formats")((1,), (1,), (3.14159, -5))
    assert capsys.readouterr().out.splitlines() == [
        "42|   42|42   |00042|+42",
        "3000000000|ff|FF|10|q|%",
        "3.141590|3.14|   3.142|3.141590e+00|3.14159",
        "-5|18446744073709551611|-5|text",
        "no newline",
    ]


def test_only_lanes_that_come_there_print(machine, capsys):
    function("messages.cu", "odd_threads")((1,), (6,), (np.arange(6, dtype=F4) / 2,))
    assert capsys.readouterr().out.splitlines() == ["thread 1: 0.5", "thread 3: 1.5", "thread 5: 2.5"]


def test_assertions_that_hold_say_nothing(machine):
    x, out = np.arange(32, dtype=I4), zeros(32)
    function("messages.cu", "asserted")((1,), (32,), (x, out))
    compare(out, x)


@pytest.mark.parametrize(("value", "text"), [(-1, r"x\[i\] >= 0"), (100, "too large")])
def test_an_assertion_that_fails_names_its_line_and_thread(machine, value, text):
    x = np.arange(32, dtype=I4)
    x[7] = value
    with pytest.raises(KernelRaised, match=r"messages\.cu:\d+") as raised:
        function("messages.cu", "asserted")((1,), (32,), (x, zeros(32)))
    assert raised.value.thread == (7, 0, 0)
    assert raised.match(text)
