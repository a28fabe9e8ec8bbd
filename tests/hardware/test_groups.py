"""Do groups tell their threads, and exchange, what they did on an H200? Records in `intrinsics.json`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import gpusim
from tests.hardware.intrinsics import RECORDED, group_arguments

WARP = 32
GROUPS = RECORDED["groups"]


@cache
def module():
    return gpusim.RawModule(path=Path(__file__).parent / "groups.cu")


@pytest.mark.parametrize("scheduling", ["independent", "stack"])
@pytest.mark.parametrize("record", GROUPS, ids=lambda each: f"{each['name']} {each['args']}")
def test_every_thread_gets_what_it_got(record, scheduling):
    name, given, columns = record["name"], record["args"], record["cols"]
    size = given.get("N", given.get("tile"))
    threads = given.get("block", WARP)
    fields = 2 if name == "tiled_partition_runtime" else 8
    out = np.zeros((threads, fields), np.uint32)
    arguments = group_arguments(record)
    of_a_size = size is not None and name != "tiled_partition_runtime"
    kernel = module().get_function(f"{name}<{size}>" if of_a_size else name)
    with gpusim.use("H200", scheduling=scheduling):
        kernel((1,), (threads,), (out, *arguments))
    where = range(len(columns))
    for field, column in zip(where, columns, strict=True):
        took_part = [thread for thread, value in enumerate(column) if value is not None]
        assert [int(out[thread, field]) for thread in took_part] == [
            column[thread] % (1 << 32) for thread in took_part
        ], record["fields"][field]
