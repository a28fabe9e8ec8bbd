"""How many blocks fit on a multiprocessor? What the occupancy calculator answered on an H200, all of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpusim import devices
from gpusim.devices.occupancy import (
    best_block_size,
    blocks_per_multiprocessor,
    largest_block,
    registers_for_residency,
)

RECORDING = json.loads((Path(__file__).parent.parent / "hardware" / "occupancy.json").read_text())
REGISTERS_AND_SHARED = {name: (registers, shared) for name, registers, shared, *_ in RECORDING["kernels"]}


def answer(device, threads, registers, shared):
    return blocks_per_multiprocessor(
        devices.get(device), threads=threads, registers_per_thread=registers, shared_bytes=shared
    )


@pytest.mark.parametrize(
    ("kernel", "table"), RECORDING["blocks_per_sm"], ids=[k for k, _ in RECORDING["blocks_per_sm"]]
)
def test_every_recorded_answer_is_reproduced(kernel, table):
    registers, static = REGISTERS_AND_SHARED[kernel]
    for dynamic, answers in zip(RECORDING["dynamic_shared_bytes"], table, strict=True):
        for threads, recorded in zip(RECORDING["block_sizes"], answers, strict=True):
            found = answer("H200", threads, registers, static + dynamic)
            assert recorded == found, (dynamic, threads)


@pytest.mark.parametrize(
    ("device", "threads", "registers", "shared", "blocks"),
    [
        ("H200", 256, 32, 0, 8),  # 2048 threads / 256
        ("H200", 32, 32, 0, 32),  # the limit of 32 blocks, though 64 warps would fit
        ("H200", 256, 64, 0, 4),  # 65536 registers / (64 × 256)
        ("H200", 1024, 65, 0, 0),  # 72 × 1024 registers are more than a block may have
        ("H200", 64, 16, 100 * 1024, 2),  # 228 KiB / (100 + 1) KiB
        ("G80", 256, 10, 0, 3),  # 8192 registers / 2560; 768 threads / 256
        ("G80", 256, 11, 0, 2),  # the classic cliff: one register more, a third fewer threads
        ("TX2", 800, 33, 0, 0),  # 25 warps count as 28: 28 × 40 × 32 registers are more than a block may have
        ("MetaX C500", 256, 32, 0, 8),  # 2048 threads / 256
        ("MetaX C500", 64, 32, 0, 32),  # 32 waves
    ],
)
def test_by_hand(device, threads, registers, shared, blocks):
    assert answer(device, threads, registers, shared) == blocks


@pytest.mark.parametrize(("kernel", "dynamic", "limit", "grid", "block"), RECORDING["max_potential"])
def test_the_best_block_is_the_one_that_the_driver_proposes(kernel, dynamic, limit, grid, block):
    registers, static = REGISTERS_AND_SHARED[kernel]
    device, bounds = devices.get("H200"), [b for name, *_, b in RECORDING["kernels"] if name == kernel]
    best = best_block_size(
        device,
        registers_per_thread=registers,
        shared_bytes=static + dynamic,
        max_threads=min(limit or 1024, *bounds),
    )
    assert best == block
    assert answer("H200", best, registers, static + dynamic) * device.multiprocessors == grid


@pytest.mark.parametrize(
    ("registers", "largest"),
    [(r, most) for name, r, _, _, most in RECORDING["kernels"] if not name.startswith("klb")],
)
def test_the_largest_block_is_the_recorded_one(registers, largest):
    assert largest_block(devices.get("H200"), registers_per_thread=registers) == largest


@pytest.mark.parametrize(("threads", "blocks", "registers"), [(1024, 1, 64), (256, 8, 32), (1024, 3, 0)])
def test_registers_that_let_so_many_blocks_be_resident(threads, blocks, registers):
    assert registers_for_residency(devices.get("H200"), threads=threads, blocks=blocks) == registers
