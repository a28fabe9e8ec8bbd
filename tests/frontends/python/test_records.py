"""How does a kernel read and write structs? By field, where memory has it: 12 bytes for three floats."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import KernelTypeError, MisalignedAccess, UnsupportedConstruct
from gpusim.events import MemoryAccess
from tests.from_text import define
from tests.observing import EveryGrid

VECTOR = np.dtype([("x", np.float32), ("y", np.float32), ("z", np.float32)])
ALIGNED = np.dtype({"names": ["x", "y", "z"], "formats": ["f4"] * 3, "itemsize": 16})
PAIR = np.dtype([("u", np.int32), ("v", np.float32)])
MIXED = np.dtype(
    [("n", "i1"), ("c", "f4", (3,)), ("m", "f8", (2, 2)), ("d", PAIR), ("e", PAIR, (2,))], align=True
)
PACKED = np.dtype([("n", np.int8), ("f", np.float64)])
UNEVEN = np.dtype([("n", np.int8), ("b", np.int8), ("f", np.int16), ("k", np.int8)])  # of 5 bytes


def arrays():
    vectors = np.rec.array(np.zeros(6, VECTOR))
    vectors.x, vectors.y, vectors.z = np.arange(6), np.arange(10, 16), np.arange(20, 26)
    mixed = np.rec.array(np.zeros(4, MIXED))
    mixed.n = np.arange(4)
    mixed.c = np.arange(12).reshape(4, 3)
    mixed.m = np.arange(16).reshape(4, 2, 2)
    mixed.d["u"], mixed.d["v"] = np.arange(4) * 3, np.arange(4) * 5
    mixed.e["u"], mixed.e["v"] = np.arange(8).reshape(4, 2) * 7, np.arange(8).reshape(4, 2) * 11
    grid = np.rec.array(np.zeros((2, 3), VECTOR))
    grid.y = np.arange(6).reshape(2, 3)
    return {"r": vectors, "q": mixed, "g": grid, "s": mixed.copy()[2], "i": 2}


def agree(text):
    """One thread of a kernel leaves in its arguments what the same Python leaves."""
    results = []
    for decorate in (cuda.jit, lambda function: function):
        given, out = arrays(), np.zeros(4)
        body = "".join(f"    {line}\n" for line in text.splitlines())
        kernel = define(f"@decorate\ndef kernel(r, q, g, s, i, out):\n{body}", decorate=decorate, MIXED=MIXED)
        (kernel[1, 1] if decorate is cuda.jit else kernel)(*given.values(), out)
        results.append([*given.values(), out])
    for ours, theirs in zip(*results, strict=True):
        assert np.array_equal(ours, theirs), text


@pytest.mark.parametrize(
    "expression",
    [
        "r[3].x",
        "r[3]['z']",
        "r.y[3]",
        "r['y'][3]",
        "r[-1].z",
        "r[1:][i].x",
        "r.x[1:][i]",
        "r[::-1].y[0]",
        "g[1, 2].y",
        "g[1].y[2]",
        "g.y[1, 2]",
        "g.T[2, 1].y",
        "g.y.T[2, 1]",
        "g.size",
        "q[2].n",
        "q[2].c[1]",
        "q[2]['c'][-1]",
        "q['c'][2][1]",
        "q.c[2, 1]",
        "q[2].c[1:][0]",
        "len(q[2].c)",
        "q.c.shape[1]",
        "q[2].m[1, 0]",
        "q[2].m.T[1, 0]",
        "q.m[1:, 0][1, 1]",
        "q[2].d.v",
        "q[2]['d']['v']",
        "q['d']['v'][2]",
        "q[2].e[1].u",
        "q['e']['u'][2, 1]",
        "s.n",
        "s['n']",
        "s.c[2]",
        "s.d.u",
        "s.e[1].v",
        "r.itemsize",
        "r.strides[0]",
        "q.itemsize",
        "q.c.strides[1]",
        "r[1].x + r[2].y * r[3].z",
        "r[2].x if i < r.size and r[i].x > 1 else -1",
    ],
)
def test_an_expression_of_fields_is_what_numpy_says(expression):
    agree(f"out[0] = {expression}")


@pytest.mark.parametrize(
    "statements",
    [
        "r[1].x = 5",
        "r[1]['x'] = 5",
        "r['x'][1] = 5",
        "r.x[1] = 5",
        "r[1].x += 5",
        "r['y'][i] *= 3",
        "r.x[:] = 7",
        "r['z'][::2] = 7",
        "r.x.fill(2)",
        "q[1].c[2] = 9",
        "q[1].c[:] = 9",
        "q[1].m[:, 0] = 9",
        "q[1].d.u = 4",
        "q['d']['u'][1] = 4",
        "q[1].e[1].v += 4",
        "s.n = 9",
        "s.c[1] = 9",
        "s.d.v = 9",
        "r[0] = r[3]",
        "r[:] = r[1]",
        "q[0] = q[3]",
        "q[0] = s",
        "q[1].d = q[2].d",
        "q[1].e[0] = q[2].d",
        "e = r[1]\ne.x = 8\nout[0] = e.y",
        "e = r[1]\nr[1].x = 8\nout[0] = e.x",
        "for k in range(4):\n    e = r[k]\n    out[k] = e.x + e.y",
        "e = r[0]\nfor k in range(1, 4):\n    out[k] = e.y\n    e = r[k]\nout[0] = e.z",
        "if i > 1:\n    e = r[1]\nelse:\n    e = r[2]\ne.y = out[0]",
        "for e in r:\n    out[0] += e.x * e.y",
        "for k, e in enumerate(q[1:]):\n    e.n = k\n    e.c[k] = 0",
        "for e, v in zip(r, q[1].c):\n    e.x = v",
        "e, f = r[0], r[1]\ne.x, f.x = f.y, e.y",
        "s.c = q[1].c",
        "q[0]['m'] = s.m\nq[1].m = q[0]['m'].T",
        "s['c'] = out[1:]",
        "out[1:3] = i, 2.5\nq[0].m[1] = 7, 8",
    ],
)
def test_fields_are_written_in_place(statements):
    agree(statements)


def test_nested_arrays_of_another_length_are_told():
    """Numba copies the bytes as they come; NumPy would stretch one element."""
    for statement in ("s.c = out[:i]", "out[:i] = 1, 2, 3"):
        with pytest.raises(ValueError, match="the lengths on both sides of the assignment differ"):
            define(f"@cuda.jit\ndef kernel(s, i, out):\n    {statement}\n")[1, 1](
                arrays()["s"], 2, np.zeros(4)
            )


def test_records_in_shared_and_local_memory(machine):
    @cuda.jit
    def kernel(out):
        tile = cuda.shared.array(40, VECTOR)
        own = cuda.local.array(2, dtype=MIXED)
        t = cuda.threadIdx.x
        tile[t].x = t
        tile[t].z = 2 * t
        own[1].c[2] = t
        own[1].d.u = 3
        own[0] = own[1]
        cuda.syncthreads()
        other = tile[39 - t]
        out[cuda.grid(1)] = other.x + 1000 * other.z + own[0].c[2] * own[0].d.u

    out = np.zeros(80)
    kernel[2, 40](out)
    assert out.tolist() == [39 - t + 2000 * (39 - t) + 3 * t for t in range(40)] * 2


def test_shared_records_take_their_size():
    @cuda.jit
    def kernel(out):
        tile = cuda.shared.array(10, VECTOR)
        tile[0].x = out[0]

    assert kernel.compiled(np.zeros(1)).shared_bytes == 120


def test_device_functions_take_records():
    @cuda.jit(device=True)
    def length_squared(v):
        return v.x * v.x + v.y * v.y + v.z * v.z

    @cuda.jit(device=True)
    def double(v):
        v.x *= 2

    @cuda.jit
    def kernel(r, out):
        i = cuda.grid(1)
        double(r[i])
        out[i] = length_squared(r[i])

    r, out = arrays()["r"], np.zeros(6, np.float32)
    expected = (2 * r.x) ** 2 + r.y**2 + r.z**2
    kernel[1, 6](r, out)
    assert np.array_equal(out, expected)


def test_an_array_of_no_dimension_holds_one_record():
    @cuda.jit
    def kernel(r):
        r[()].x = 3
        r["y"] = 4
        r.z += r.x

    r = np.zeros((), VECTOR)
    kernel[1, 1](r)
    assert r.item() == (3, 4, 3)


def test_a_record_with_fields_of_another_name_is_another_type():
    kernel = define("@cuda.jit\ndef kernel(r):\n    r[0].x = 1\n")
    kernel[1, 1](np.zeros(1, VECTOR))
    with pytest.raises(KernelTypeError, match="a record of 'r' has no field 'x'") as caught:
        kernel[1, 1](np.zeros(1, PAIR))
    assert caught.value.hint == "its fields are u, v"


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("r[0] = 1", "a record of 'r' where a number is needed"),
        ("r[0].x = r[1]", "a record of 'r' does not fit"),
        ("r[0] = (1, 2, 3)", "an assignment of a tuple to a part of an array"),
        ("r[0] += 1", "a record of 'r' where a number is needed"),
        ("x = r[0] + 1", "a record of 'r' where a number is needed"),
        ("x = r[0][1]", "a record of 'r' cannot be indexed"),
        ("x = r[r.x]", "the array 'r.x' as an index"),
        ("cuda.atomic.add(r, 0, 1)", "a record of 'r' where a number is needed"),
        ("x = r.w", "the array 'r' has no field 'w'"),
        ("r = cuda.shared.array(2, BAD)", "the element type is not a number type"),
        ("x = p[0].f", "field 'f' begins at byte 1 of its record, and f64 needs a multiple of 8"),
        ("x = p['f'][0]", "field 'f' begins at byte 1 of its record"),
    ],
)
def test_what_records_do_not_do_is_refused(statement, message):
    bad = np.dtype([("when", "M8[s]")])
    kernel = define(f"@cuda.jit\ndef kernel(r, p):\n    {statement}\n", BAD=bad)
    with pytest.raises((KernelTypeError, UnsupportedConstruct)) as caught:
        kernel[1, 1](np.zeros(2, VECTOR), np.zeros(2, PACKED))
    assert message in caught.value.message


def test_a_field_is_named_by_a_text_that_has_a_name():
    @cuda.jit
    def kernel(r):
        name = "y"
        r[0][name] = r[1]["x"] + r[name][1]

    r = np.zeros(2, VECTOR)
    r[1]["x"], r[1]["y"] = 1, 2
    kernel[1, 1](r)
    assert r[0]["y"] == 3


def test_the_record_types_of_numba_are_known():
    numba = pytest.importorskip("numba")
    record = numba.from_dtype(VECTOR)

    @cuda.jit
    def kernel(out):
        own = cuda.local.array(2, record)
        own[1].y = 3
        out[0] = own[1].y

    out = np.zeros(1)
    kernel[1, 1](out)
    assert out[0] == 3


def test_atomics_on_fields():
    @cuda.jit
    def kernel(r, q):
        cuda.atomic.add(r["y"], 1, 2)
        cuda.atomic.add(q[1].c, 2, 1)

    r, q = np.zeros(2, VECTOR), np.zeros(2, MIXED)
    kernel[2, 40](r, q)
    assert r["y"].tolist() == [0, 160]
    assert q["c"].tolist() == [[0, 0, 0], [0, 0, 80]]


# A field of the host's records as an argument: strides that are no multiple of the element.


def test_a_field_of_host_records_is_an_argument(machine):
    @cuda.jit
    def kernel(x, y):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += y[i]

    records = np.zeros(70, np.dtype([("a", "f8"), ("b", "i4"), ("c", "i4")]))
    records["a"], records["b"] = np.arange(70), 3
    kernel[1, 70](records["a"], records["b"])
    assert records["a"].tolist() == [k + 3 for k in range(70)]
    records = np.zeros(70, np.dtype([("a", "f8"), ("b", "i4")]))  # of 12 bytes: every second a is misaligned
    kernel[1, 1](records["a"], records["b"])
    with pytest.raises(MisalignedAccess, match="uses 8 bytes of 'x' at address 0x7f000000000c") as caught:
        kernel[1, 70](records["a"], records["b"])
    assert caught.value.thread == (1, 0, 0)


# Where it lies, and what that costs.


class Accesses(EveryGrid):
    wants = frozenset({MemoryAccess})

    def __init__(self):
        self.seen = []

    def observe(self, event):
        self.seen.append((event.kind, event.width, event.addresses[0, :3].tolist()))


def test_an_access_has_the_address_and_the_width_of_the_field():
    @cuda.jit
    def kernel(r, q):
        i = cuda.grid(1)
        r[i].y = 1
        q[i].e[1].v = 1

    observer = Accesses()
    with gpusim.runtime.settings.during(gpusim.runtime.settings.changed(observer=observer)):
        kernel[1, 32](np.zeros(32, VECTOR), np.zeros(32, MIXED))
    base, offset = 0x7F00_0000_0000, MIXED.fields["e"][1] + PAIR.itemsize + 4
    assert observer.seen == [
        ("store", 4, [base + 12 * k + 4 for k in range(3)]),
        ("store", 4, [base + 512 + MIXED.itemsize * k + offset for k in range(3)]),
    ]


RECORDING = json.loads((Path(__file__).parents[2] / "hardware" / "vec3_struct.json").read_text())
FIELDS = ("load requests", "load sectors", "store requests", "store sectors")
ELEMENTS = 67_108_864


@cuda.jit
def sum_of_fields(r, out):
    i = cuda.grid(1)
    out[i] = r[i].x + r[i].y + r[i].z


@cuda.jit
def sum_of_arrays(x, y, z, out):
    i = cuda.grid(1)
    out[i] = x[i] + y[i] + z[i]


@cuda.jit
def first_field(r, out):
    i = cuda.grid(1)
    out[i] = r[i].x


@cuda.jit
def write_fields(r, values):
    i = cuda.grid(1)
    v = values[i]
    r[i].x = v
    r[i].y = v + 1
    r[i].z = v + 2


@pytest.mark.parametrize(
    ("name", "kernel", "dtypes"),
    [
        ("12-byte struct, all fields", sum_of_fields, [VECTOR]),
        ("SoA", sum_of_arrays, [np.float32] * 3),
        ("12-byte struct, field x only", first_field, [VECTOR]),
        ("16-byte aligned struct, field x only", first_field, [ALIGNED]),
        ("write 12-byte struct", write_fields, [VECTOR]),
    ],
)
def test_requests_and_sectors_of_structs_are_those_of_an_h200(name, kernel, dtypes):
    names, row = RECORDING["header"]["fields"], next(r for r in RECORDING["rows"] if r[0] == name)
    recorded = [row[names.index(field)] for field in FIELDS]
    count = 4096
    with gpusim.profile("H200") as run:
        kernel[count // 256, 256](*(np.zeros(count, dtype) for dtype in dtypes), np.zeros(count, np.float32))
    counted = [getattr(run, f"global_{field.replace(' ', '_')}") for field in FIELDS]
    assert [value * (ELEMENTS // count) for value in counted] == recorded
