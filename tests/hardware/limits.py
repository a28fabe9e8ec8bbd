"""How do residency and carve-outs agree with the H200's driver, and with blocks that were seen together?"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

import gpusim
from gpusim import devices
from gpusim.devices import carveout, occupancy
from gpusim.machine.attributes import Attributes
from gpusim.runtime import residency
from tests.hardware.memory import recording

H200 = devices.get("H200")


class Answer(NamedTuple):
    """One answer of the driver, or of a count, and the simulator's."""

    question: str
    recorded: Any
    simulated: Any


def _kernels() -> dict[str, list[int]]:
    """Registers, static and local bytes, and the most threads, of each recorded kernel."""
    return {name: row for name, *row in recording("occupancy")["kernels"]}


def _blocks(threads: int, registers: int, shared: int) -> int:
    return occupancy.blocks_per_multiprocessor(
        H200, threads=threads, registers_per_thread=registers, shared_bytes=shared
    )


def blocks() -> Iterator[Answer]:
    """`cudaOccupancyMaxActiveBlocksPerMultiprocessor`: kernels × dynamic shared bytes × block sizes."""
    known, kernels = recording("occupancy"), _kernels()
    for kernel, table in known["blocks_per_sm"]:
        registers, static, *_ = kernels[kernel]
        for dynamic, row in zip(known["dynamic_shared_bytes"], table, strict=True):
            for threads, recorded in zip(known["block_sizes"], row, strict=True):
                question = f"{kernel}, {dynamic} bytes, {threads} threads"
                yield Answer(question, recorded, _blocks(threads, registers, static + dynamic))


def _best_launch(kernel: str, dynamic: Any, limit: int = 0) -> tuple[int, int]:
    registers, static, _local, most = _kernels()[kernel]
    function: Any = SimpleNamespace(registers_per_thread=registers, shared_bytes=static, max_threads=most)
    opted_in = Attributes(max_dynamic_shared_bytes=232448 - static)  # as it was when it was recorded
    with gpusim.use("H200"):
        return residency.best_launch(function, opted_in, dynamic, limit)


def block_sizes() -> Iterator[Answer]:
    """`cudaOccupancyMaxPotentialBlockSize`: the grid that fills the GPU, and the block."""
    for kernel, dynamic, limit, *recorded in recording("occupancy")["max_potential"]:
        question = f"{kernel}, {dynamic} bytes, at most {limit or 'any'} threads"
        yield Answer(question, tuple(recorded), _best_launch(kernel, dynamic, limit))


def variable_block_sizes() -> Iterator[Answer]:
    """`cudaOccupancyMaxPotentialBlockSizeVariableSMem`, with so many dynamic bytes for each thread."""
    for kernel, each, *recorded in recording("occupancy")["max_potential_variable"]:
        found = _best_launch(kernel, each.__mul__)
        yield Answer(f"{kernel}, {each} bytes per thread", tuple(recorded), found)


def resident() -> Iterator[Answer]:
    """Blocks that a kernel really saw together, on the multiprocessor with most and on that with fewest."""
    for registers, threads, dynamic, static, _answer, most, fewest in recording("occupancy")["resident"]:
        found = _blocks(threads, registers, static + dynamic)
        yield Answer(
            f"{registers} registers, {threads} threads, {dynamic} bytes", (most, fewest), (found, found)
        )


def carveouts() -> Iterator[Answer]:
    """Blocks that fit under a preferred carve-out in percent."""
    known = recording("occupancy")
    registers, static, *_ = _kernels()["kreg32"]
    for percent, row in known["carveout"]:
        for dynamic, recorded in zip(known["dynamic_shared_bytes"], row, strict=True):
            question = f"{percent} %, {dynamic} bytes"
            yield Answer(question, recorded, _under_carveout(percent, registers, static + dynamic))


def _under_carveout(percent: int, registers: int, shared: int) -> int:
    if not (fitting := _blocks(128, registers, shared)):
        return 0
    return carveout.choose(
        H200,
        block_bytes=occupancy.shared_allocation(H200, shared),
        blocks=fitting,
        percent=percent,
    ).blocks


class Chosen(NamedTuple):
    """How the driver configured a multiprocessor for a launch of one block, and how `carveout.choose` would.

    asked: percent (-1 the default, -2 not set), `cudaFuncCache` (-1 not set), dynamic bytes, threads a block.
    """

    asked: tuple[int, int, int, int]
    bytes: int
    bytes_here: int
    blocks: int
    blocks_here: int

    @property
    def by(self) -> str:
        """What decided: a percentage, a legacy configuration, or the driver alone."""
        percent, config, *_ = self.asked
        return "percentage" if percent >= 0 else "legacy configuration" if config > 0 else "no preference"


def chosen() -> Iterator[Chosen]:
    """Every launch of carveout.json; the kernel needs so few registers that they limit nothing."""
    for percent, config, dynamic, threads, _error, _preferred, together, size in recording("carveout")[
        "chosen"
    ]:
        if size is None:  # refused
            continue
        found = carveout.choose(
            H200,
            block_bytes=occupancy.shared_allocation(H200, dynamic),
            blocks=_blocks(threads, 16, dynamic),
            percent=max(percent, carveout.DEFAULT),
            cache_config=carveout.CACHE_CONFIGS[max(config, 0)],
        )
        asked = (percent, config, dynamic, threads)
        yield Chosen(asked, size, found.capacity_bytes, together, found.blocks)
