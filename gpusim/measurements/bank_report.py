"""Which bank serves which lanes, and who waits? The bank view's report of the accesses of one launch.

L lanes a warp. A wavefront is a list of [bank, word, lanes]: the words of shared memory count from the start
of the block's window, so that `word mod banks` is the bank. A phase's `conflicts` are
its wavefronts, counted from 0, that begin an item for which the bank was not free.
"""

from __future__ import annotations

from gpusim.devices import Device
from gpusim.ir.types import Space
from gpusim.measurements import banks
from gpusim.measurements.accesses import Access, Accesses, drawn
from gpusim.measurements.trace import Report

PARTS = {1: "warp", 2: "half-warp", 4: "quarter-warp"}  # of how many such parts a warp consists


def of(kernel: str, device: Device, accesses: Accesses, line: int | None) -> Report:
    """The report of one launch: what `gpusim.views.bank_view` draws."""
    return {"title": kernel, "variants": [_variant(kernel, device, accesses, line)]}


def _variant(kernel: str, device: Device, accesses: Accesses, line: int | None) -> Report:
    """One launch as the bank view draws it. Raises `ReportError` where nothing was recorded.

    `totals` are the run's counters for these accesses: each picture's numbers, times how often it was made.
    """
    found = accesses.of(kernel, Space.SHARED, line)
    pictures, shown = [_picture(access, device) for access in found], drawn(found)
    return {
        "label": f"{device.name}, {device.shared_banks} banks",
        "device": device.product_name,
        "lanes": device.warp_size,
        "banks": device.shared_banks,
        "bank_bytes": device.bank_bytes,
        "accesses": [pictures[number] for number in shown],
        "left_out": len(found) - len(shown),
        "totals": {
            "requests": sum(picture["times"] for picture in pictures),
            "wavefronts": sum(picture["times"] * picture["wavefronts"] for picture in pictures),
            "conflicts": sum(picture["times"] * picture["conflicts"] for picture in pictures),
        },
    }


def _picture(access: Access, device: Device) -> Report:
    (phases,) = banks.phases(access.addresses, access.active, access.width, device, access.kind)
    turn = banks.TURNS.get(access.kind, 1)  # wavefronts that a bank takes for one item
    drawn_phases = [
        {
            "lanes": [phase.lanes[0], phase.lanes[-1]],
            "name": _name(phases, number, device),
            "wavefronts": [
                [
                    [bank, address // device.bank_bytes, list(lanes)]
                    for bank, (address, lanes) in sorted(wavefront.items())
                ]
                for wavefront in phase.wavefronts
            ],
            "conflicts": [*range(turn, len(phase.wavefronts), turn)],
        }
        for number, phase in enumerate(phases)
    ]
    return {
        **access.report(),
        "phases": drawn_phases,
        "wavefronts": sum(len(phase.wavefronts) for phase in phases),
        "conflicts": sum(len(phase["conflicts"]) for phase in drawn_phases),
    }


def _name(phases: list[banks.Phase], number: int, device: Device) -> str:
    """What such a phase is called: 16 of 32 lanes are a half-warp. On 1.x it moves one word of each lane."""
    lanes = phases[number].lanes
    name = PARTS.get(device.warp_size // len(lanes), f"{len(lanes)} lanes")
    turns = [turn for turn, phase in enumerate(phases) if phase.lanes == lanes]
    return name if len(turns) == 1 else f"{name}, word {turns.index(number) + 1} of {len(turns)}:"
