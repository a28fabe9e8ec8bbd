"""What is an array that a kernel finds outside itself? A constant, frozen when the kernel is compiled."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import KernelTypeError, LaunchError, OutOfBounds
from gpusim.events import MemoryAccess
from gpusim.machine.memory.binding import CONSTANTS_BASE
from tests.from_text import define
from tests.observing import EveryGrid

WEIGHTS = np.array([1.0, 4.0, 6.0, 4.0, 1.0], np.float32)
TABLE = np.arange(12, dtype=np.int16).reshape(3, 4)
COLUMNS = np.asfortranarray(TABLE)
STRIDED = np.arange(20)[::-3]
RECORDS = np.array([(1, 2.5), (3, 4.5)], np.dtype([("n", np.int32), ("f", np.float64)], align=True))
PLACES = (np.array([3, 1]), 2)


def run_one(statement, **names):
    out = np.zeros(1)
    kernel = define(f"@cuda.jit\ndef kernel(out, i):\n    {statement}\n", **globals(), **names)
    kernel[1, 1](out, 1)
    return out[0]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("WEIGHTS[2]", 6),
        ("cuda.const.array_like(WEIGHTS)[2]", 6),
        ("TABLE[i, 2]", 6),
        ("TABLE[i][2]", 6),
        ("TABLE[-1, -1]", 11),
        ("TABLE.T[2, i]", 6),
        ("TABLE[:, 1][2]", 9),
        ("TABLE[1:, ::2][1, i]", 10),
        ("TABLE.reshape(2, 6)[1, 2]", 8),
        ("TABLE.view(np.int32)[2, 1]", 10 + 65536 * 11),
        ("COLUMNS[i, 2]", 6),
        ("COLUMNS[1:][i, 2]", 10),
        ("COLUMNS.strides[1]", 6),
        ("STRIDED[2]", 13),
        ("STRIDED[::2][i]", 13),
        ("STRIDED.size", 7),
        ("TABLE.shape[1] + TABLE.ndim * 10 + TABLE.itemsize * 100", 224),
        ("len(TABLE)", 3),
        ("RECORDS[i].f", 4.5),
        ("RECORDS['n'][i]", 3),
        ("PLACES[0][i] + PLACES[1]", 3),
        ("row_sum(TABLE[i])", 22),
    ],
)
def test_an_array_from_outside_is_read_as_any_other(expression, value):
    @cuda.jit(device=True)
    def row_sum(row):
        total = 0
        for v in row:
            total += v
        return total

    assert run_one(f"out[0] = {expression}", row_sum=row_sum) == value


def test_a_convolution_with_weights_in_constant_memory(machine):
    @cuda.jit
    def convolve(x, out):
        weights = cuda.const.array_like(WEIGHTS)
        i = cuda.grid(1)
        if i < out.size:
            total = np.float32(0)
            for k in range(weights.size):
                total += weights[k] * x[i + k]
            out[i] = total

    x, out = np.arange(104, dtype=np.float32), np.zeros(100, np.float32)
    convolve[4, 32](x, out)
    assert np.array_equal(out, np.convolve(x, WEIGHTS, "valid"))


def test_a_constant_is_frozen_when_the_kernel_is_compiled():
    table = np.array([1, 2])

    @cuda.jit
    def kernel(out):
        out[0] = table[0]

    out = np.zeros(1)
    kernel[1, 1](out)
    table[0] = 50
    kernel[1, 1](out)
    assert out[0] == 1


def test_arrays_that_are_made_when_they_are_asked_for_stay_apart():
    class Layer:
        @property
        def w(self):
            return np.full(4, 1.0)

        @property
        def b(self):
            return np.full(4, 2.0)

    assert run_one("out[0] = c.w[0] + 10 * c.b[0]", c=Layer()) == 21


def test_an_index_outside_a_constant_is_found():
    with pytest.raises(OutOfBounds, match="uses index 5 of 'WEIGHTS', whose length is 5"):
        run_one("out[0] = WEIGHTS[i + 4]")


@pytest.mark.parametrize(
    "statement",
    [
        "WEIGHTS[0] = 1",
        "TABLE[1:].fill(0)",
        "TABLE.T[0, 0] += 1",
        "RECORDS[0].n = 1",
        "w = TABLE[1]\n    w[0] = 1",
    ],
)
def test_a_store_to_a_constant_is_refused(statement):
    with pytest.raises(KernelTypeError, match="is constant: it was frozen when the kernel was compiled"):
        run_one(statement)


def test_an_array_of_what_no_kernel_knows_is_refused():
    with pytest.raises(KernelTypeError, match=r"an array of datetime64\[s\] is not for kernels"):
        run_one("out[0] = DATES[0]", DATES=np.zeros(2, "M8[s]"))


def test_constant_memory_has_64_kilobytes():
    fits, large = np.zeros(8192), np.zeros(8193)
    assert run_one("out[0] = TOO_MANY.size + TOO_MANY[5]", TOO_MANY=fits) == 8192
    with pytest.raises(LaunchError, match="kernel uses 65544 bytes of constant arrays; H200 has 65536"):
        run_one("out[0] = TOO_MANY[5]", TOO_MANY=large)


class Accesses(EveryGrid):
    wants = frozenset({MemoryAccess})

    def __init__(self):
        self.seen = []

    def observe(self, event):
        self.seen.append((event.space.value, event.kind, event.width, int(event.addresses[0, 0])))


def test_reads_of_constants_are_no_global_loads():
    @cuda.jit
    def kernel(out):
        out[cuda.grid(1)] = WEIGHTS[1] + TABLE[1, 1] + WEIGHTS[2]

    observer = Accesses()
    with (
        gpusim.runtime.settings.during(gpusim.runtime.settings.changed(observer=observer)),
        gpusim.profile() as run,
    ):
        kernel[1, 32](np.zeros(32))
    assert run.global_load_requests == 0
    # WEIGHTS takes 20 bytes, TABLE begins at the next multiple of 16; one array is one constant
    assert [row[1:] for row in observer.seen if row[0] == "const"] == [
        ("load", 4, CONSTANTS_BASE + 4),
        ("load", 2, CONSTANTS_BASE + 32 + 10),
        ("load", 4, CONSTANTS_BASE + 8),
    ]
    assert kernel.compiled(np.zeros(32)).constant_bytes == 32 + 24


def test_a_branch_on_a_constant_does_not_diverge():
    @cuda.jit
    def kernel(out):
        if WEIGHTS[cuda.blockIdx.x] > 2:
            out[cuda.grid(1)] = 1

    assert "// uniform: never splits a warp" in kernel.inspect_ir(np.zeros(32))


TABLES, BUFFER = (np.array([1.0, 2.0]), 3), None


def test_an_array_in_a_tuple_is_frozen_with_the_function_that_names_it(monkeypatch):
    monkeypatch.setitem(globals(), "TABLES", (np.array([1.0, 2.0]), 3))
    read, x = cuda.jit(device=True)(lambda: TABLES[0][1] + TABLES[1]), np.zeros(1)
    for _ in range(2):  # the kernel is another one each time
        cuda.jit(define("def kernel(x):\n    x[0] = read()\n", read=read))[1, 1](x)
        assert x[0] == 5
        TABLES[0][1] = 100


@cuda.jit
def write_buffer(x):
    BUFFER[0] = x[0]


def test_a_kernel_lists_the_arrays_of_the_device_that_it_was_compiled_with(monkeypatch):
    before, after = cuda.to_device(np.zeros(1)), cuda.to_device(np.zeros(1))
    monkeypatch.setitem(globals(), "BUFFER", before)
    assert write_buffer.variables == {"BUFFER": before}
    write_buffer[1, 1](np.ones(1))
    monkeypatch.setitem(globals(), "BUFFER", after)
    assert write_buffer.variables["BUFFER"] is before
    write_buffer[1, 1](np.ones(1))
    assert (before.copy_to_host(), after.copy_to_host()) == (1, 0)


def test_a_function_of_numbas_keeps_what_its_names_meant():
    numba = pytest.importorskip("numba")
    scaled = numba.njit(define("def scaled(a):\n    return a * SCALE\n", "scaled", SCALE=2))
    x = np.zeros(1)
    for _ in range(2):
        cuda.jit(define("def kernel(x):\n    x[0] = scaled(3.0)\n", scaled=scaled))[1, 1](x)
        assert x[0] == 6
        scaled.py_func.__globals__["SCALE"] = 7
