"""Does CUDA C++ mean in a kernel what it means to a C++ compiler? One small kernel a construct.

The kernels are in `kernels/*.cu`; each function here gives one kernel's arguments and what NumPy expects.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import gpusim
from gpusim.errors import LaunchError
from tests.frontends.cuda_cpp.launches import (
    compare,
    floats,
    fresh,
    function,
    integers,
    launch,
)

I4, U4, F4, F8, U8 = np.int32, np.uint32, np.float32, np.float64, np.uint64


def zeros(shape: Any, dtype: Any = I4) -> Any:
    return np.zeros(shape, dtype)


# numbers --------------------------------------------------------------------------------------------------


@launch("numbers.cu", 1, 64)
def test_promotions():
    a, b, c = (
        integers(64, -128, 128, np.int8),
        integers(65, 0, 256, np.uint8)[:64],
        integers(64, -999, 999, "i2"),
    )
    sums, cut = zeros(64), zeros(64, np.uint8)
    wide = a.astype(I4)
    return (a, b, c, sums, cut), {3: wide + b.astype(I4) * c, 4: (wide + b).astype(np.uint8)}


@launch("numbers.cu", 1, 64)
def test_mixed_signs():
    a, b = integers(64), integers(65, 1, 100, U4)[:64]
    return (a, b, zeros(64), zeros(64, U4), zeros(64, np.int64)), {
        2: a.astype(U4) < b,
        3: a.astype(U4) // b,
        4: a - b.astype(np.int64),
    }


@launch("numbers.cu", 2, 50)
def test_truncating_division():
    a, b = integers(100), np.where(integers(100) > 0, 7, -7).astype(I4)
    quotients = np.trunc(a / b).astype(I4)
    return (a, b, zeros(100), zeros(100)), {2: quotients, 3: a - quotients * b}


@launch("numbers.cu", 1, 32)
def test_shifts():
    x, count = integers(32, -(2**31), 2**31), np.arange(32, dtype=U4)
    return (x, count, zeros(32), zeros(32, U4), zeros(32, U8)), {
        2: x >> count.astype(I4),
        3: x.astype(U4) >> count,
        4: np.uint64(1) << (count.astype(U8) + np.uint64(32)),
    }


@launch("numbers.cu", 1, 64)
def test_bit_tricks():
    x = integers(64, 0, 2**32, U4)
    x[:4] = 0, 1, 2**31, 2**32 - 1
    plain = [int(v) for v in x]
    return (x, zeros(64, U4), zeros(64, U4), zeros(64, U4), zeros(64, np.bool_)), {
        1: [v & -v for v in plain],
        2: [v ^ v >> 1 for v in plain],
        3: [v.bit_count() for v in plain],
        4: [v.bit_count() == 1 for v in plain],
    }


@launch("numbers.cu", 1, 6)
def test_conversions():
    x = np.array([2.9, -2.9, 0.0, 0.1, 123.456, -40.0])
    whole = np.trunc(x).astype(I4)
    return (x, zeros(6), zeros(6, F4), zeros(6, np.int64), zeros(6, "i2"), zeros(6, np.bool_)), {
        1: whole,
        2: x.astype(F4),
        3: np.trunc(x * 1e9).astype(np.int64),
        4: (whole * 1000).astype(np.int16),
        5: x != 0,
    }


@launch("numbers.cu", 1, 1)
def test_sizes():
    return (zeros(15, U8),), {0: [1, 1, 2, 4, 8, 8, 4, 8, 8, 15, 8, 8, 4, 4, 8]}


@launch("numbers.cu", 1, 1)
def test_literals():
    signed = np.uint8(200).astype(np.int8)
    expected = [
        140,
        2**31,
        2**32 - 1,
        -1,
        68,
        5,
        1002,
        1,
        3000000021,
        15,
        2**32 - 1,
        44 + int(signed),
        2,
        16,
    ]
    return (zeros(14, np.int64),), {0: expected}


@launch("numbers.cu", 1, 32)
def test_compound():
    x = integers(32)
    bytes_, shorts, ints, singles = (
        np.arange(32, dtype=np.uint8),
        np.full(32, 1000, "i2"),
        integers(33)[:32],
        floats(32),
    )
    scaled = np.trunc(ints.astype(F4) * F4(1.5)).astype(I4)
    remainder = np.fmod((scaled << 2 | 1) ^ 0xFF, 1000)
    return (x, bytes_, shorts, ints, singles), {
        1: ((bytes_ + 200).astype(np.uint8) >> 1) & 0xFE,
        2: (1000 * x).astype(np.int16) - np.int16(1),
        3: remainder,
        4: singles / 4 + (x >> 1),
    }


@launch("numbers.cu", 1, 1)
def test_increments():
    return (zeros(8),), {0: [15, 16, 1, 10, 0, 65535, 5, 21]}


@launch("numbers.cu", 1, 40)
def test_modular_power():
    base, exponent, modulus = integers(40, 0, 2**32, U4), integers(41, 0, 1000, U4)[:40], 4294967291
    expected = [pow(int(b), int(e), modulus) for b, e in zip(base, exponent, strict=True)]
    return (base, exponent, modulus, zeros(40, U4)), {3: expected}


@launch("numbers.cu", 1, 32)
def test_precision():
    x = floats(32)
    return (x, zeros(32, F4), zeros(32, F8), zeros(32, F4)), {1: x / F4(3), 2: x.astype(F8) / 3, 3: x * 0.1}


# pointers -------------------------------------------------------------------------------------------------


@launch("pointers.cu", 2, 16)
def test_pointer_walk():
    x = floats(100)
    return (x, 100, zeros(32, F4)), {2: [x[k::32].sum() for k in range(32)]}


WORDS = ["", "a", "gpu", "thread", "warps", "lanes!"]


def words(width: int) -> Any:
    return np.frombuffer(b"".join(word.encode().ljust(width, b"\0") for word in WORDS), np.int8).copy()


@launch("pointers.cu", 1, 6)
def test_word_lengths():
    return (words(8), 8, zeros(6)), {2: [len(word) for word in WORDS]}


@launch("pointers.cu", 1, 6)
def test_copy_words():
    return (zeros(48, np.int8), words(8), 8), {0: words(8)}


@launch("pointers.cu", 1, 32)
def test_pointer_difference():
    ordered, keys = np.sort(integers(77)), integers(32, -120, 120)
    return (ordered, 77, keys, zeros(32)), {3: np.searchsorted(ordered, keys)}


@launch("pointers.cu", 1, 96)
def test_swapped_pointers():
    x = floats(96)
    expected = x.astype(F8)
    for _ in range(5):
        expected = np.convolve(expected, [0.25, 0.5, 0.25], "same")
    return (x, zeros(96, F4), 5), {0: expected}


@launch("pointers.cu", 2, 32)
def test_negative_indices():
    x = floats(50)
    expected = zeros(50, F4)
    expected[1:-1] = x[2:] - x[:-2]
    return (x, zeros(50, F4), 50), {1: expected}


@launch("pointers.cu", 2, 32)
def test_double2_casts():
    p = floats(100, dtype=F8)
    return (p, zeros(50, F8), 50), {1: p[::2] + p[1::2]}


@launch("pointers.cu", 2, 32)
def test_float4_reinterpreted():
    x = floats(200)
    return (x, 200, 3.0), {0: x * 3}


@launch("pointers.cu", (2, 2), (16, 4))
def test_pitched_rows():
    storage = floats(7, 32)
    expected = storage.copy()
    expected[:, :20] += 100 * np.arange(7)[:, None] + np.arange(20)
    return (storage.view(np.int8), 128, 20, 7), {0: expected.view(np.int8)}


@launch("pointers.cu", 1, 8)
def test_bytes_of_words():
    x = integers(8, 0, 2**32, U4)
    return (x, zeros(32, np.uint8)), {1: x.byteswap().view(np.uint8)}


@pytest.mark.parametrize(("kind", "dtype"), [(0, I4), (1, F4)])
def test_void_pointers_take_any_array(machine, kind, dtype):
    x, out = np.arange(10).astype(dtype), zeros(10, dtype)
    function("pointers.cu", "void_pointers")((1,), (10,), (out, x, kind))
    compare(out, x + 1 if kind == 0 else x / 2)


@launch("pointers.cu", 1, 20)
def test_out_parameters():
    x = integers(100)
    return (x, 5, zeros(20)), {2: np.ptp(x.reshape(20, 5), axis=1)}


def test_pointers_to_pointers(machine):
    """One kernel leaves addresses in memory, the next one follows them."""
    data, rows, sums = gpusim.cuda.to_device(floats(6, 8)), gpusim.cuda.to_device(zeros(6, U8)), zeros(6, F4)
    function("pointers.cu", "make_rows")((1,), (6,), (rows, data, 8))
    assert np.diff(rows.copy_to_host().astype(np.int64)).tolist() == [32] * 5
    function("pointers.cu", "sum_rows")((1,), (6,), (rows, 8, sums))
    compare(sums, (data.copy_to_host() ** 2).sum(1))


@launch("pointers.cu", 1, 33)
def test_local_pointer_table():
    tables = a, b, c = floats(33), floats(34)[:33], floats(35)[:33]
    expected = a + 2 * b + 3 * c + np.array([tables[k % 3][0] for k in range(33)])
    return (a, b, c, zeros(33, F4)), {3: expected}


def test_pointers_in_structs(machine):
    """A struct by value that holds a pointer: a dict names its members, an array stands for the pointer."""
    a, b, c = floats(5, 7), floats(7, 6), zeros((5, 6), F4)
    structs = [{"rows": m.shape[0], "columns": m.shape[1], "elements": m} for m in (a, b, c)]
    function("pointers.cu", "pointers_in_structs")((1, 2), (8, 4), tuple(structs))
    compare(c, a @ b)


@launch("pointers.cu", 1, 64)
def test_generic_pointers():
    x, t = integers(64), np.arange(64)
    return (x, zeros(64)), {1: np.choose(t % 3, [x, 100 + 63 - t, 1000 + t])}


@launch("pointers.cu", 1, 16)
def test_optional_output():
    x = integers(16)
    return (x, None, zeros(16)), {2: 3 * x}


def test_pointers_know_their_alignment(machine):
    x, aligned = gpusim.cuda.to_device(floats(16)), zeros(16)
    function("pointers.cu", "alignment")((1,), (16,), (x, aligned))
    assert aligned.tolist() == [1, 0, 0, 0] * 4


@launch("pointers.cu", 1, 16)
def test_qualified():
    x = integers(16)
    return (x, zeros(16), zeros(16)), {1: x, 2: 2 * x}


@launch("pointers.cu", 1, 11)
def test_pointer_to_array():
    points = floats(11, 3)
    return (points, zeros(11, F4)), {1: (points**2).sum(1)}


@launch("pointers.cu", 1, 8)
def test_reversed_in_place():
    x = integers(31)
    return (x, 31), {0: x[::-1].copy()}


# arrays ---------------------------------------------------------------------------------------------------


@launch("arrays.cu", 1, 40)
def test_local_histogram():
    x = integers(300, 0, 256, np.uint8)
    expected = [np.bincount(x[t::40] % 10, minlength=10) for t in range(40)]
    return (x, 300, zeros((40, 10))), {2: expected}


@launch("arrays.cu", 1, 24)
def test_initialisers():
    i = np.arange(24)
    expected = np.array([1, 2, 3, 0, 0, 0])[i % 6] + np.array([0.25, 0.5, 0.25])[i % 3]
    expected += 10 * np.array([[1, 2, 3], [4, 5, 6]])[i % 2, i % 3]
    expected += 100 * np.array([[1, 2], [3, 4]])[i // 2 % 2, i % 2]
    expected += 1000 * np.array([[[1, 2], [3, 4]], [[5, 6], [7, 0]]])[i & 1, i >> 1 & 1, i >> 2 & 1]
    return (zeros(24, F4),), {0: expected + np.frombuffer(b"gpu\0", np.int8)[i % 4] + 3 + 4}


@launch("arrays.cu", 1, 16)
def test_arrays_to_functions():
    given = floats(12)
    matrix, vector = given[:9].reshape(3, 3), given[9:]
    return (given, zeros(48, F4)), {1: ((vector + np.arange(16)[:, None]) @ matrix.T).ravel()}


@launch("arrays.cu", 1, (8, 4, 2))
def test_shared_planes():
    x = integers(64)
    return (x, zeros(64)), {1: x[::-1]}


@launch("spaces.cu", 1, 64)
def test_shared_in_functions():
    x = integers(64)
    return (x, zeros(64)), {1: x[::-1] + x * 2000}


@launch("spaces.cu", 1, 2)
def test_tables_of_texts():
    return (zeros(2),), {0: np.array([97 + 110 * 2 + 101 - 112 + 1, 120 + 119 * 2 + 111 - 113 + 1], I4)}


@launch("arrays.cu", 1, 20)
def test_sorted_rows():
    x = integers(160).reshape(20, 8)
    return (x,), {0: np.sort(x, 1)}


@launch("arrays.cu", 1, 12)
def test_array_of_structs_local():
    keys = integers(12)
    expected = 0.75 + 3 + keys * 0.5 + 8 + np.choose(np.arange(12) % 3, [1, 2, keys])
    return (keys, zeros(12, F4)), {1: expected}


@launch("arrays.cu", 1, 9)
def test_range_loop():
    return (zeros(9),), {0: 28 + 5 * np.arange(9)}


# structs --------------------------------------------------------------------------------------------------

VEC2 = np.dtype([("x", "f4"), ("y", "f4")])
SEGMENT = np.dtype([("from", VEC2), ("to", VEC2), ("id", "i4")])


@pytest.mark.parametrize(
    "segment",
    [
        np.array([((1, 2), (4, 6), 3)], SEGMENT)[0],
        {"from": (1, 2), "to": {"x": 4, "y": 6}, "id": 3},
        ((1, 2), (4, 6), 3),
    ],
    ids=["void", "dict", "tuple"],
)
def test_nested_structs_by_value(machine, segment):
    out = zeros(8, F4)
    function("structs.cu", "nested_by_value")((1,), (8,), (segment, (0.0, 0.0), out))
    compare(out, 5 + 3 * np.arange(8))


PARTICLE = np.dtype([("position", "f4", 3), ("mass", "f4"), ("alive", "i4")])


@launch("structs.cu", 1, 64)
def test_array_of_structs():
    particles = zeros(50, PARTICLE)
    particles["position"], particles["mass"], particles["alive"] = (
        0.9,
        1 + np.arange(50) % 4,
        np.arange(50) % 5 != 0,
    )
    expected = particles.copy()
    alive = particles["alive"] == 1
    expected["position"][alive] += (F4(0.25) * np.array([1, 2, 3], F4)) / particles["mass"][alive][:, None]
    expected["alive"][alive] = expected["position"][alive, 0] < 1
    return (particles, 50, 0.25), {0: expected}


PACKED = np.dtype(
    {
        "names": ["x", "y", "z", "kind"],
        "formats": ["f4", "f4", "f4", "u1"],
        "offsets": [0, 4, 8, 12],
        "itemsize": 16,
    }
)
PAIR = np.dtype({"names": ["first", "second"], "formats": ["i4", "i2"], "offsets": [0, 4], "itemsize": 8})


def test_alignments(machine):
    packed, pairs, out = zeros(8, PACKED), zeros(8, PAIR), zeros(4)
    packed["x"], packed["kind"] = 1.5, np.arange(8)
    function("structs.cu", "alignments")((1,), (8,), (packed, pairs, out))
    assert out.tolist() == [16, 8, 16, 20]
    assert packed["kind"].tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert (packed["x"] == 1.5).all()
    assert pairs["first"].tolist() == list(range(8))
    assert pairs["second"].tolist() == [-1, -2, -3, -4, -5, -6, -7, -8]


@launch("structs.cu", (2, 2), (16, 16))
def test_julia():
    grid = F4(1.5) * np.arange(-16, 16, dtype=F4) / F4(32)
    re, im = np.broadcast_arrays(grid[None, :], grid[:, None])
    steps, running = zeros((32, 32)), np.ones((32, 32), bool)
    for _ in range(40):
        running &= re * re + im * im < 1000
        squared = re * re - im * im + F4(-0.8), im * re + re * im + F4(0.156)
        re, im = np.where(running, squared, (re, im))
        steps += running
    return (zeros((32, 32)), 32, 1.5), {0: steps}


@launch("structs.cu", 1, 8)
def test_operators():
    x = floats(8)
    real = x + F4(1) + F4(1) - F4(1)
    expected = np.stack([real, np.where(real == x + F4(1), 2, -1)], 1).ravel()
    return (x, zeros(16, F4)), {1: expected}


def xorshift(state: int) -> int:
    state ^= state << 13 & 0xFFFFFFFF
    state ^= state >> 17
    return state ^ (state << 5 & 0xFFFFFFFF)


@launch("structs.cu", 1, 10)
def test_classes():
    expected, last = zeros(40, F4), zeros(10, U4)
    for t in range(10):
        state = t or 1
        for k in range(4):
            state = xorshift(state)
            expected[4 * t + k] = (state >> 8) / 16777216
        last[t] = xorshift(state)
    return (zeros(40, F4), zeros(10, U4)), {0: expected, 1: last}


@launch("structs.cu", 1, 32)
def test_static_members():
    expected = np.arange(32) ** 2
    expected[10] += 1000
    return (zeros(32),), {0: expected}


@launch("structs.cu", 1, 16)
def test_default_members():
    x = integers(16, -20, 20)
    return (x, zeros(16)), {1: np.clip(x, -10, 10) * 100 + np.clip(x, -10, 3)}


def test_struct_copies(machine):
    points = zeros(32, VEC2)
    points["x"], points["y"] = np.arange(32), 100 + np.arange(32)
    following = np.roll(points, -1)
    x = -following["y"] + 0.5 * -following["y"] * 10
    y = following["x"] * 1.5 + points["y"]
    function("structs.cu", "struct_copies")((1,), (32,), (points,))
    compare(points["x"], x)
    compare(points["y"], y)


def test_struct_references(machine):
    items, out = integers(20), zeros(5)
    bag = {"items": items, "count": 20, "range": {"low": 4, "high": 9}}
    function("structs.cu", "struct_references")((1,), (4,), (bag, out))
    compare(out, items[4:9] * 2)


# classes --------------------------------------------------------------------------------------------------


@launch("classes.cu", 1, 12)
def test_nested_defaults():
    return (zeros(12),), {0: np.full(12, 2 + 10 + 200 + 4000 + 10000 + 500000)}


@launch("classes.cu", 1, 8)
def test_inheritance():
    i = np.arange(8)
    return (zeros(8),), {0: (1400 + 10 * i + 7) * 1000 + 800 + 10 * i + 4}


@launch("classes.cu", 1, 16)
def test_stack():
    limits = np.arange(16, dtype=I4)
    return (limits, zeros(16)), {1: np.maximum(limits * (limits + 1) // 2, 1) * 100 + 7}


@launch("classes.cu", 1, 8)
def test_qualified_types():
    x = floats(8)
    return (x, zeros(8, F4)), {1: np.polynomial.polynomial.polyval(x, [1, 2, 3, 4, 5]) + 54.5}


@launch("classes.cu", 1, 8)
def test_partial_specialisation():
    x = integers(8)
    return (x, zeros(8, F4)), {1: x + 210.5}


@launch("classes.cu", 1, 8)
def test_vector_class():
    x = floats(8)
    return (x, zeros(8, F4)), {1: 7 + (2 * x + 1) + 1000 * (x < 2 * x + 2) - 3 - (x + 5)}


@launch("classes.cu", 1, 8)
def test_changing_operators():
    x = integers(12)
    tallies = np.convolve(x, np.ones(4, I4), "valid")[:8] + 1 + 11 + 1000 + 4
    return (x, zeros(8)), {1: (8 * 100 + 50) * 10000 + tallies}


@launch("classes.cu", 1, 40, shared=160, name="reversed_block<float>")
def test_dynamic_array_of_a_template():
    x = floats(40)
    return (x,), {0: x[::-1].copy()}


@launch("classes.cu", 1, 40, shared=320, name="reversed_block<double>")
def test_dynamic_array_of_a_specialised_template():
    x = floats(40, dtype=F8)
    return (x,), {0: x[::-1].copy()}


@launch("classes.cu", 1, 8)
def test_defaulted_constructor():
    return (zeros(8),), {0: np.arange(8) + 300 + 2000 + 10000}


@launch("classes.cu", 1, 1)
def test_partial_ordering():
    return (zeros(1), zeros(7)), {1: [1, 2, 3, 4, 5, 6, 321]}


# enumerations, unions, vector types -----------------------------------------------------------------------


@launch("types.cu", 1, 6)
def test_enumerations():
    return (np.array([0, 5, 6, 0, 5, 6], I4), zeros(6)), {1: [7, 1016, 106] * 2}


@launch("types.cu", 1, 8)
def test_scoped_enumerations():
    operations, a = np.array([0, 3, 4, 0, 3, 4, 4, 9], np.uint8), floats(8)
    results = np.stack([a + 2, a - 2, a * 2, 0 * a])
    row = np.array([0, 1, 2, 0, 1, 2, 2, 3])
    return (operations, a, zeros(8, F4)), {2: results[row, np.arange(8)] + operations}


@launch("types.cu", 1, 16)
def test_type_names():
    x = integers(16, 0, 1000, U4)
    return (x, zeros(16, F8)), {1: x / 8 + np.array([1, 2, 3, 4])[x % 4] + 16}


@launch("types.cu", 1, 16)
def test_unions():
    x = floats(16) * 100
    return (x, zeros(16), zeros(16, np.uint8), zeros(16, F4)), {
        1: np.frexp(x)[1] - 1,
        2: x.view(np.uint8)[::4],
        3: np.abs(x),
    }


TAGGED = np.dtype({"names": ["tag", "real", "whole"], "formats": ["i4", "f4", "i4"], "offsets": [0, 4, 4]})


@launch("types.cu", 1, 6)
def test_anonymous_union():
    tagged = zeros(6, TAGGED)
    tagged["tag"] = np.arange(6) % 2
    tagged["real"] = np.arange(6) * 1.5
    tagged["whole"][::2] = np.arange(6)[::2]
    return (tagged, zeros(6, F4)), {1: np.where(tagged["tag"] == 1, np.arange(6) * 1.5, np.arange(6))}


@launch("types.cu", 2, 16)
def test_float4_arithmetic():
    a, b = floats(32, 4), floats(33, 4)[:32]
    return (a, b, zeros((32, 4), F4), zeros(32, F4)), {2: a + 2 * b, 3: (a * b).sum(1)}


@launch("types.cu", 1, 20)
def test_vector_types():
    pixels = integers(80, 0, 256, np.uint8).reshape(20, 4)
    x, y, z, w = pixels.astype(I4).T
    i = np.arange(20)
    shorts = np.stack([-x, w + 1], 1)
    doubles = np.stack([x * 0.5, 1 / (y + 1)], 1)
    return (
        pixels,
        zeros((20, 3), F4),
        zeros((20, 2)),
        zeros((20, 2), "i2"),
        zeros((20, 2), F8),
        zeros((20, 2), np.int64),
    ), {
        1: pixels[:, :3] / 255,
        2: np.stack([x + y, z + w], 1),
        3: shorts,
        4: doubles,
        5: np.stack([1 << i, -i], 1),
    }


@launch("types.cu", 1, 10)
def test_swizzles():
    v = floats(10, 4)
    return (v, zeros(10, F4)), {0: v[:, ::-1].copy(), 1: v @ np.array([1, 2, 3, 4], F4) + v[:, 1]}


@launch("types.cu", 3, (4, 2))
def test_dimensions():
    return (zeros(24),), {0: np.full(24, 321)}


# control flow ---------------------------------------------------------------------------------------------


def collatz(n: int) -> tuple[int, int]:
    steps, peak = 0, n
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        steps, peak = steps + 1, max(peak, n)
    return steps, peak


@launch("control.cu", 1, 30)
def test_collatz():
    steps, peaks = zip(*[collatz(n) for n in range(1, 31)], strict=True)
    return (np.arange(1, 31, dtype=U4), zeros(30), zeros(30, U4)), {1: steps, 2: peaks}


@launch("control.cu", 1, 30)
def test_digit_sums():
    x = integers(30, 0, 10**6)
    x[0] = 0
    return (x, zeros(30), zeros(30)), {
        1: [sum(map(int, str(v))) for v in x],
        2: [len(str(v)) for v in x],
    }


@launch("control.cu", 1, 8)
def test_fall_through():
    return (np.array([2, 3, 4, 5, -1, 97, 8, 0], I4), np.full(8, -9, I4)), {
        1: [10, 11, 7, 7, -9, ord("b"), 1011, 1011]
    }


def interpret(program: str, accumulator: int) -> int:
    for letter in program:
        if letter == "?" and accumulator % 2 == 0:
            continue
        accumulator = {
            "+": accumulator + 3,
            "*": accumulator * 2,
            "?": accumulator - 1,
            ".": accumulator,
        }.get(letter, -accumulator)
        accumulator += 1
        if letter == ".":
            break
    return accumulator


@launch("control.cu", 1, 16)
def test_switch_in_a_loop():
    program = "+*?-?+x*.++"
    code = np.frombuffer(program.encode(), np.int8)
    return (code, len(program), zeros(16)), {2: [interpret(program, t) for t in range(16)]}


@launch("control.cu", 1, 48)
def test_primes():
    prime = [n for n in range(2, 400) if all(n % d for d in range(2, math.isqrt(n) + 1))]
    return (zeros(48), 400), {0: [sum(n % 48 == (t + 2) % 48 for n in prime) for t in range(48)]}


@launch("control.cu", 1, 16)
def test_short_circuit():
    x = integers(10, -1, 2)
    inside = np.arange(16) < 10
    padded = np.pad(x, (0, 6))
    both, either = inside & (padded > 0), ~inside | (padded == 0)
    return (x, 10, zeros(16), zeros(16)), {2: both + 2 * either, 3: 2 * inside}


@launch("control.cu", 1, 12)
def test_ternary_chain():
    x = np.array([-1, -0.5, 0, 0.25, 0.5, 0.6, 0.75, 0.9, 0.95, 1, 2, 0.1], F4)
    grades = ["F", "F", "C", "C", "B", "B", "B", "A", "A", "A", "A", "C"]
    return (x, zeros(12, np.int8), zeros(12, F4)), {
        1: [ord(g) for g in grades],
        2: np.abs(x) + np.where(x > 0.5, 1, 2.5),
    }


@launch("control.cu", 1, 10)
def test_comma_operator():
    return (zeros(10),), {0: [sum(range(t, 0, -2)) for t in range(10)]}


@launch("control.cu", 2, 32)
def test_grid_stride():
    x, y = floats(1000), floats(1001)[:1000]
    return (x, y, 2.5, 1000), {1: 2.5 * x + y}


@launch("control.cu", 1, 40)
def test_euclid():
    a, b = integers(40, 1, 5000, U4), integers(41, 1, 5000, U4)[:40]
    divisor = np.gcd(a, b)
    return (a, b, zeros(40, U4)), {2: np.where(divisor > 1, a // divisor, 0)}


@launch("control.cu", 1, 16)
def test_count_down():
    x = integers(9)
    value = 0
    for v in x[::-1]:
        value = value * 3 + int(v)
    return (x, 9, zeros(16, np.int64)), {2: [value] + [2] * 10 + [1] * 5}


@launch("control.cu", 1, 30)
def test_pythagorean():
    found = [
        next((a for a in range(1, c) for b in range(a, c) if a * a + b * b == c * c), 0) for c in range(1, 31)
    ]
    return (zeros(30), 3), {0: found}


# functions ------------------------------------------------------------------------------------------------


@launch("functions.cu", 1, 16)
def test_default_arguments():
    x = floats(16)
    return (x, zeros(16, F4)), {1: 2 * x + 3 * x + (x + 10) + x**4 - 5}


@launch("functions.cu", 1, 1)
def test_overloads():
    return (np.array([20, 30], I4), zeros(12)), {1: [1, 2, 3, 4, 25, 16, 7, 8, 1, 1, 3, 35]}


@launch("functions.cu", 1, 8)
def test_references():
    x = integers(32)
    expected = x.reshape(8, 4).copy()
    expected[:, :2].sort(axis=1)
    expected[np.arange(8), expected.argmax(1)] = -1
    expected[:, 0] += 100
    out = np.where(np.arange(8) % 2, 7, 1.5) + expected[:, 0]
    return (x, 4, zeros(8, F4)), {0: expected.ravel(), 2: out}


@launch("functions.cu", 1, 33)
def test_function_table():
    a, b = floats(33), floats(34)[:33]
    return (a, b, zeros(33, F4)), {2: np.choose(np.arange(33) % 3, [a + b, a - b, np.maximum(a, b)])}


@launch("functions.cu", 1, 33)
def test_function_table_in_memory():
    a, b = floats(33), floats(34)[:33]
    return (a, b, zeros(33, F4)), {2: np.choose(np.arange(33) % 2, [a - b, np.maximum(a, b)])}


@launch("functions.cu", 1, 1)
def test_function_arguments():
    x = floats(9)
    return (x, 9, zeros(3, F4)), {2: [x.sum(), x.max(), 2]}


@launch("functions.cu", 1, 16, name="function_template_argument<subtract>")
def test_function_template_argument():
    a, b = floats(16), floats(17)[:16]
    return (a, b, zeros(16, F4)), {2: a - b}


@launch("functions.cu", 1, 6)
def test_early_returns():
    c = floats(5)
    values = [np.polynomial.polynomial.polyval(0.5, c[: d + 1]) + 1 for d in range(5)]
    return (c, np.array([-1, 0, 1, 2, 3, 4], I4), zeros(6, F4)), {2: [0, *values]}


@launch("functions.cu", 1, 16)
def test_aliased_arguments():
    x = integers(16)
    changed = x * 100 + x + 10
    rows = np.stack([changed, changed, x * 10 + 2 - 1 + 5, 7 + 10 * x], 1)
    return (x, zeros(64)), {1: rows.ravel()}


# templates ------------------------------------------------------------------------------------------------


@launch("templates.cu", 2, 8, name="axpy<float, 4>")
def test_axpy_of_float():
    x, y = floats(64), floats(65)[:64]
    return (1.5, x, y), {2: 1.5 * x + y}


@launch("templates.cu", 2, 8, name="axpy<int, 2>")
def test_axpy_of_int():
    x, y = integers(32), integers(33)[:32]
    return (-3, x, y), {2: -3 * x + y}


@launch("templates.cu", 1, 16)
def test_deduced():
    x, y = integers(16, 0, 6), floats(16, dtype=F8)
    return (x, y, zeros(16, F8)), {2: np.maximum(x, 3) + np.maximum(y, 0.5) + np.maximum(x, y)}


@launch("templates.cu", 1, 16, name="specialised<int>")
def test_specialised_for_int():
    x = integers(100)
    return (x, 100, zeros(16)), {2: [x[t::16].max() for t in range(16)]}


@launch("templates.cu", 1, 1, name="values_of_no_name<float>")
def test_a_value_that_is_no_default():
    return (zeros(4, F4),), {0: [0 - 7, 0 - 0, 5 - 0, 0 - 2]}


@launch("templates.cu", 1, 16, name="specialised<float>")
def test_specialised_for_float():
    x = floats(100)
    return (x, 100, zeros(16, F4)), {2: [x[t::16].max() for t in range(16)]}


@launch("templates.cu", 1, 1)
def test_function_specialisation():
    return (zeros(4, F8),), {0: [6, 1006, 1008, 5]}


@launch("templates.cu", 1, 5)
def test_struct_templates():
    given = integers(12)
    a, b = given[:6].reshape(2, 3), given[6:].reshape(3, 2)
    return (given, zeros((5, 2, 2))), {1: [(a + t) @ b for t in range(5)]}


@launch("templates.cu", 1, 32)
def test_constant_expressions():
    x = floats(32)
    return (x, zeros(32, F4)), {1: np.convolve(x, [0.25, 0.5, 0.25], "same")}


@launch("templates.cu", 1, 16)
def test_template_recursion():
    x = integers(20)
    return (x, zeros(16)), {1: np.convolve(x, np.ones(4, I4), "valid")[:16] + 55}


def test_functors(machine):
    x, out = integers(500), zeros(1)
    function("templates.cu", "reduce_with<Plus>")((1,), (64,), (x, 500, out, ()))
    assert out[0] == x.sum()
    function("templates.cu", "reduce_with<Maximum>")((1,), (64,), (x, 500, out, ()))
    assert out[0] == x.max()


@launch("templates.cu", 1, 10, name="flags<false, 5>")
def test_flags():
    x = integers(50).reshape(10, 5)
    return (x, zeros((10, 5))), {1: np.cumsum(x, 1) - x}


@launch("templates.cu", 1, 6)
def test_dependent_types():
    x = floats(6, 7)
    return (x, 7, zeros(6, F4)), {2: x.sum(1)}


@launch("templates.cu", 1, 6)
def test_pairs():
    x = floats(6)
    expected = np.zeros(6, [("first", "f4"), ("second", "i4")])
    expected["first"], expected["second"] = x, np.arange(6)
    return (x, np.zeros_like(expected)), {1: expected}


@launch("templates.cu", 1, 1, name="zeros_as_arguments<int>")
def test_zeros_as_arguments():
    return (np.array([-5, -1, 7], np.int32), 3, zeros(4)), {2: [-2, 0, 1, 1]}


# names ----------------------------------------------------------------------------------------------------


@launch("names.cu", 1, 8)
def test_namespaces():
    t = floats(8)
    return (t, zeros(8, F4)), {1: 9.81 * t * t / 2000 + 9.81 + 42 + 3 * np.arange(8) + 1}


@launch("names.cu", 1, 8)
def test_macros():
    return (zeros(8),), {0: [55] + [3 + t for t in range(1, 8)]}


@pytest.mark.parametrize(
    ("options", "expected"), [((), 264), (("-DBLOCK=128",), 428), (("-D", "BLOCK=7"), 107)]
)
def test_conditional_text(machine, options, expected):
    out = zeros(8)
    fresh("names.cu", options=options).get_function("conditional_text")((1,), (8,), (out,))
    assert (out == expected).all()


@pytest.mark.parametrize(("name", "factor"), [("launch_bounds", 1), ("launch_bounds_first", 2)])
def test_launch_bounds(machine, name, factor):
    out = zeros(32)
    function("names.cu", name)((1,), (32,), (out,))
    assert (out == 32 * factor).all()


def test_launch_bounds_limit_the_block():
    with pytest.raises(LaunchError, match="256"):
        function("names.cu", "launch_bounds")((1,), (512,), (zeros(512),))


@launch("names.cu", 1, 8)
def test_unrolled_loops():
    x = floats(64)
    return (x, zeros(8, F4)), {1: 4 * x.reshape(8, 8).sum(1)}


@launch("names.cu", 1, 8)
def test_qualifiers():
    return (0, zeros(8)), {1: 2 * np.arange(8)}


# a program and its host code ------------------------------------------------------------------------------


def test_a_program_says_that_its_host_code_is_not_run(machine):
    program, a, b, c = fresh("program.cu", "fill<double>"), floats(100), floats(101)[:100], zeros(100, F4)
    with pytest.warns(UserWarning, match=r"main\(\) is host code and is not run"):
        program.get_function("vector_add")((4,), (32,), (a, b, c, 100))
    compare(c, a + b)
    x = zeros(200, F8)
    program.get_function("fill<double>")((4,), (32,), (x, 2.5, 200))
    compare(x, np.full(200, 2.5))


def test_host_code_may_use_what_kernels_cannot(machine):
    """Exceptions, virtual methods, lambdas, streams: nothing of it stands in the way of the kernel."""
    program, x = fresh("host_program.cu"), floats(100)
    expected = 3 * x
    with pytest.warns(UserWarning, match=r"main\(\) is host code and is not run"):
        program.get_function("scale")((4,), (32,), (x, 100, 1))
    compare(x, expected)


# who takes a reference --------------------------------------------------------------------------------------


def test_references_are_found_in_namespaces_structs_and_templates():
    code = """
    namespace n {
        __device__ void up(int& v) { v += 1; }
        template <typename T> __device__ void more(T& v) { v += 10; }
    }
    struct S { static __device__ void most(int& v) { v += 100; } };
    template <typename T> __device__ void any(T v) { v += 1000; }
    __global__ void k(int* x, int a, int b, int c, int d, int e) {
        n::up(a); n::more(b); S::most(c); any<int&>(d); any(e);
        x[0] = a; x[1] = b; x[2] = c; x[3] = d; x[4] = e;
    }
    """
    x = zeros(5)
    gpusim.RawKernel(code, "k")[1, 1](x, 1, 2, 3, 4, 5)
    assert x.tolist() == [2, 12, 103, 1004, 5]


def test_template_arguments_that_are_written_out_count_in_a_namespace_too():
    code = """
    namespace n {
        template <typename T> __device__ void up(T v) { v += 1; }
        template <typename T> __device__ T half(T v) { return v / 2; }
    }
    __global__ void k(float* x, int a) {
        n::up<int&>(a);
        x[0] = a; x[1] = n::half<float>(3); x[2] = n::half(3);
    }
    """
    x = zeros(3, F4)
    gpusim.RawKernel(code, "k")[1, 1](x, 1)
    assert x.tolist() == [2, 1.5, 1]


def test_a_template_without_references_leaves_its_arguments_as_they_are():
    code = """
    template <typename T> __device__ T at(const T* x, int i) { return x[i]; }
    __global__ void k(int* x) { x[0] = at(x, 3); }
    """
    assert "x[3]" in gpusim.RawKernel(code, "k").inspect_ir()
