"""Which multiprocessor had which block of a launch, and which would have it? By the model of time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, cycle, islice
from typing import Any

import numpy as np

from gpusim.devices import Device, get
from gpusim.errors import ReportError
from gpusim.ir.details import SpecialRegister
from gpusim.measurements.occupancies import device_limits
from gpusim.reports.placement import PlacedBlock, Placement, PlacementExploration, PlacementVariant, Turns
from gpusim.runtime.residency import occupancy
from gpusim.timing.model import Grid
from gpusim.timing.placement import Stay, placed, tail
from gpusim.timing.recording import Recorder
from gpusim.whole import number_of, whole

MOST_BLOCKS = 4096  # in a report, or to push
SIZES = (256, 384, 512, 640, 768, 1024)  # of blocks, to push
PLACES, PLACES_OF_MANY = 24, 14  # of the slider over grids, of hundreds of blocks
TURNS = {"equally long": (1,), "every fifth three times as long": (1, 1, 1, 1, 3)}


def placement(recorder: Recorder, *, warm: bool = True) -> Placement:
    """Where was each block of a recorded launch, and when, as the model of time has it?"""
    grid, launched = Grid(recorder, warm), recorder.launched
    outcome, memory = grid.replayed()
    in_turn = any(
        instruction.detail is SpecialRegister.CTAID_LINEAR
        for block in launched.blocks
        for instruction in block.instructions
    )
    device, resident = launched.device, recorder.resident
    pace = grid.pace(outcome, memory)
    stays = placed(*pace, device.multiprocessors, resident, in_turn=in_turn)
    clocks = (grid.cycles(outcome, memory) - grid.speeds.grid_start) / max(
        max(stay.end for stay in stays), 1e-9
    )
    stays = [Stay(index, *(round(clocks * each, 1) for each in times)) for index, *times in stays]
    x, y, z = launched.block
    return _report(device, stays, resident, x * y * z, "clock", in_turn)


def _report(
    device: Device, stays: Sequence[Stay], resident: int, threads: int, unit: str, in_turn: bool = False
) -> Placement:
    """Of a large grid, what the first multiprocessors have: those that lie apart could share a habit."""
    many, blocks, counts = device.multiprocessors, len(stays), Counter(stay.multiprocessor for stay in stays)
    so_far = accumulate(counts[index] for index in range(many))
    shown = max(sum(each <= MOST_BLOCKS for each in so_far), 1)
    ending = tail(stays, many, resident)
    found = [
        PlacedBlock(block, *stay, block // (many * resident) + 1)
        for block, stay in enumerate(stays)
        if stay.multiprocessor < shown
    ]
    return Placement(
        device=device.name,
        multiprocessors=many,
        resident=resident,
        blocks=blocks,
        threads=threads,
        waves=-(-blocks // (many * resident)),
        unit=unit,
        end=max(stay.end for stay in stays),
        tail=ending.start,
        idle=ending.idle,
        empty=ending.empty,
        placed=tuple(sorted(found, key=lambda each: each.start)[:MOST_BLOCKS]),
        shown=tuple(range(shown)),
        in_turn=in_turn,
    )


def explore_placement(
    runs: Mapping[Any, Any] | None = None,
    *,
    blocks: int = 10,
    threads: int = 1024,
    registers_per_thread: int = 32,
    shared_bytes: int = 0,
    devices: Sequence[str | Device] | str | Device = ("H200",),
    multiprocessors: Sequence[int | None] | int | None = (4, None),
    turns: Mapping[str, Sequence[float]] = TURNS,
    title: str = "Which block runs where",
) -> PlacementExploration:
    """Which multiprocessor has which block, and when? A report for `views.block_placement`.

    runs: of each label a profiled run, or its placement. Without them, grid and block size are pushed, on
    `devices` that have so many `multiprocessors`, None for all that they have, beginning with `blocks` of
    `threads`; `turns` says for how many turns blocks stay: those of a label one after the other, over and
    over.
    """
    if runs is not None:
        if not isinstance(runs, Mapping):
            raise ReportError(f"runs are given by label, as in {{'before': run}}, not {runs!r}")
        if not runs:
            raise ReportError("a block placement has nothing to draw: pass at least one run")
        return PlacementExploration(
            title, tuple(PlacementVariant(str(label), _of(label, run)) for label, run in runs.items())
        )
    gpus = [get(each) for each in ([devices] if isinstance(devices, str | Device) else devices)]
    several = multiprocessors if isinstance(multiprocessors, Sequence) else (multiprocessors,)
    if not (gpus and several):
        raise ReportError("a block placement needs at least one device")
    if (
        not isinstance(turns, Mapping)
        or not turns
        or any(not each or min(each) <= 0 for each in turns.values())
    ):
        raise ReportError("turns need a label at least, and for each of them one positive number or more")
    start, many = next(iter(turns.values())), whole(blocks, "a grid has a positive number of blocks", least=1)
    if many > MOST_BLOCKS:
        raise ReportError(
            f"a block placement is pushed up to {MOST_BLOCKS:,} blocks, not {many:,}: pass a run"
        )
    asked = {"registers_per_thread": registers_per_thread, "shared_bytes": shared_bytes}
    variants = []
    for device in gpus:
        for number in several:
            if number is not None:
                whole(number, "a device has a positive number of multiprocessors", least=1, error=ReportError)
            gpu = device if number is None else replace(device, multiprocessors=number)
            sizes = sorted({*SIZES, threads})
            fitting = {size: occupancy(gpu, threads=size, **asked).blocks for size in sizes}
            if not fitting[threads]:
                raise ReportError(f"no block of {number_of(threads, 'thread')} fits on {gpu.name}")
            grids = _grids(gpu.multiprocessors * fitting[threads], many)
            times = np.array(list(islice(cycle(start), many)), float)
            stays = placed(times, fitting[threads], 1.0, gpu.multiprocessors, fitting[threads])
            label = f"{gpu.name}: {number_of(gpu.multiprocessors, 'multiprocessor')}"
            variants.append(
                PlacementVariant(
                    label if number is None else f"{label}, made up",
                    _report(gpu, stays, fitting[threads], threads, "turn"),
                    device_limits(gpu),
                    grids,
                    tuple(size for size, some in fitting.items() if some),
                )
            )
    return PlacementExploration(
        title,
        tuple(variants),
        tuple(Turns(label, tuple(map(float, each))) for label, each in turns.items()),
        **asked,
    )


def _of(label: Any, run: Any) -> Placement:
    if not isinstance(run, Placement) and not hasattr(run, "placement"):
        raise ReportError(f"{label!r} is no profiled run, and no placement of one: {type(run).__name__}")
    found: Placement = run if isinstance(run, Placement) else run.placement()
    return found


def _grids(wave: int, blocks: int) -> tuple[int, ...]:
    """Numbers of blocks up to three waves, whole waves and one block more among them."""
    places = PLACES if 3 * wave < 100 else PLACES_OF_MANY
    step = next(each for each in range(1, wave + 1) if wave % each == 0 and 3 * wave <= places * each)
    grids = {blocks, *range(step, 3 * wave + 1, step), wave + 1, 2 * wave + 1}
    return tuple(sorted(each for each in grids if each <= MOST_BLOCKS))
