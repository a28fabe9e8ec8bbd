"""Which bank serves which lanes, and who waits? The bank view's report of the accesses of one launch."""

from __future__ import annotations

from gpusim.devices import Device
from gpusim.ir.types import Space
from gpusim.measurements import banks
from gpusim.measurements.accesses import Access, Accesses, drawn
from gpusim.reports.bank import BankAccess, BankReport, BankTotals, BankVariant, Phase, Served

PARTS = {1: "warp", 2: "half-warp", 4: "quarter-warp"}  # of how many such parts a warp consists


def of(kernel: str, device: Device, accesses: Accesses, line: int | None) -> BankReport:
    """The report of one launch. Raises `ReportError` where nothing was recorded."""
    found = accesses.of(kernel, Space.SHARED, line)
    pictures, shown = [_picture(access, device) for access in found], drawn(found)
    variant = BankVariant(
        label=f"{device.name}, {device.shared_banks} banks",
        device=device.product_name,
        lanes=device.warp_size,
        banks=device.shared_banks,
        bank_bytes=device.bank_bytes,
        accesses=tuple(pictures[number] for number in shown),
        left_out=len(found) - len(shown),
        totals=BankTotals(
            requests=sum(picture.made.times for picture in pictures),
            wavefronts=sum(picture.made.times * picture.wavefronts for picture in pictures),
            conflicts=sum(picture.made.times * picture.conflicts for picture in pictures),
        ),
    )
    return BankReport(kernel, (variant,))


def _picture(access: Access, device: Device) -> BankAccess:
    (phases,) = banks.phases(access.addresses, access.active, access.width, device, access.kind)
    turn = banks.TURNS.get(access.kind, 1)  # wavefronts that a bank takes for one item
    drawn_phases = tuple(
        Phase(
            lanes=(phase.lanes[0], phase.lanes[-1]),
            name=_name(phases, number, device),
            wavefronts=tuple(
                tuple(
                    Served(bank, address // device.bank_bytes, tuple(lanes))
                    for bank, (address, lanes) in sorted(wavefront.items())
                )
                for wavefront in phase.wavefronts
            ),
            conflicts=tuple(range(turn, len(phase.wavefronts), turn)),
        )
        for number, phase in enumerate(phases)
    )
    return BankAccess(
        made=access.made(),
        phases=drawn_phases,
        wavefronts=sum(len(phase.wavefronts) for phase in phases),
        conflicts=sum(len(phase.conflicts) for phase in drawn_phases),
    )


def _name(phases: list[banks.Phase], number: int, device: Device) -> str:
    """What such a phase is called: 16 of 32 lanes are a half-warp. On 1.x it moves one word of each lane."""
    lanes = phases[number].lanes
    name = PARTS.get(device.warp_size // len(lanes), f"{len(lanes)} lanes")
    turns = [turn for turn, phase in enumerate(phases) if phase.lanes == lanes]
    return name if len(turns) == 1 else f"{name}, word {turns.index(number) + 1} of {len(turns)}:"
