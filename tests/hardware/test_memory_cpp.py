"""Do accesses in CUDA C++ touch as many sectors as Nsight Compute counted on an H200, at every width?"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda

HERE = Path(__file__).parent
PATTERNS = json.loads((HERE / "global_patterns.json").read_text())["rows"]
VEC3 = json.loads((HERE / "vec3_struct.json").read_text())
MAGIC = 0xC0FFEE11
TYPES = {1: "unsigned char", 2: "unsigned short", 4: "unsigned", 8: "uint2", 16: "uint4"}
ELEMENTS, COUNT = 67_108_864, 4096


@pytest.mark.parametrize("operation", ["load", "store"])
@pytest.mark.parametrize("width", TYPES)
def test_requests_and_sectors_of_every_recorded_pattern(operation, width):
    module = gpusim.RawModule(path=HERE / "global_patterns.cu")
    kernel = module.get_function(f"{operation}<{TYPES[width]}>")
    base, sink = cuda.to_device(np.zeros(1 << 17, np.uint8)), cuda.to_device(np.zeros(1, np.uint32))
    patterns = [row for row in PATTERNS if row[3] == operation and row[4] == width]
    assert len(patterns) >= 25
    wrong = []
    for number, name, _family, _operation, _width, mask, offsets, requests, sectors, *_ in patterns:
        module.get_global("offsets")[:] = np.array(offsets, np.uint32)
        module.get_global("mask")[:] = np.array([int(mask, 16)], np.uint32)
        with gpusim.profile("H200") as run:
            kernel((1,), (32,), (base, sink, MAGIC))
        counted = tuple(getattr(run, f"global_{operation}_{what}") for what in ("requests", "sectors"))
        if counted != (requests, sectors):
            wrong.append((number, name, counted, requests, sectors))
    assert wrong == []


VECTOR = np.dtype([("x", np.float32), ("y", np.float32), ("z", np.float32)])
WIDE = np.dtype({"names": ["x", "y", "z"], "formats": [np.float32] * 3, "itemsize": 16})


@pytest.mark.parametrize(
    ("name", "kernel", "dtypes"),
    [
        ("12-byte struct, all fields", "sum_of_fields", [VECTOR]),
        ("16-byte aligned struct, all fields", "sum_of_wide", [WIDE]),
        ("SoA", "sum_of_arrays", [np.float32] * 3),
        ("12-byte struct staged through shared memory, 4-byte loads", "staged", [VECTOR]),
        ("12-byte struct staged through shared memory, 16-byte loads", "staged_by_16_bytes", [VECTOR]),
        ("12-byte struct, field x only", "first_field<Vec3>", [VECTOR]),
        ("16-byte aligned struct, field x only", "first_field<Wide3>", [WIDE]),
        ("write 12-byte struct", "write_fields", [VECTOR]),
        ("write 16-byte aligned struct", "write_wide", [WIDE]),
    ],
)
def test_requests_and_sectors_of_structs_are_those_of_an_h200(name, kernel, dtypes):
    names, row = VEC3["header"]["fields"], next(row for row in VEC3["rows"] if row[0] == name)
    fields = ("load requests", "load sectors", "store requests", "store sectors")
    arrays = [cuda.to_device(np.zeros(COUNT, dtype)) for dtype in (*dtypes, np.float32)]
    with gpusim.profile("H200") as run:
        gpusim.RawModule(path=HERE / "vec3_struct.cu").get_function(kernel)((COUNT // 256,), (256,), arrays)
    counted = [getattr(run, f"global_{field.replace(' ', '_')}") for field in fields]
    assert [value * (ELEMENTS // COUNT) for value in counted] == [row[names.index(field)] for field in fields]


def test_all_recorded_structs_are_compared():
    assert len(VEC3["rows"]) == 9


@pytest.mark.parametrize(("type_", "width"), [("float", 4), ("float2", 8), ("float4", 16), ("double2", 16)])
def test_a_wide_load_is_one_request_and_as_many_sectors_as_its_bytes(type_, width):
    """32 lanes × 4, 8 or 16 bytes side by side: 4, 8 or 16 sectors."""
    code = f"""
    __global__ void copy(const {type_}* x, {type_}* y) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        y[i] = x[i];
    }}"""
    dtype = np.float64 if type_ == "double2" else np.float32
    x = np.arange(64 * width // np.dtype(dtype).itemsize, dtype=dtype)
    y = np.zeros_like(x)
    with gpusim.profile("H200") as run:
        gpusim.RawKernel(code, "copy")((2,), (32,), (x, y))
    assert (y == x).all()
    assert (run.global_load_requests, run.global_load_sectors) == (2, 2 * width)
    assert (run.global_store_requests, run.global_store_sectors) == (2, 2 * width)
