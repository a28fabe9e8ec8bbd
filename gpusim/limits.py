"""Which limits do launches in kernels meet, and what memory do they cost? `gpusim.explore_limits()`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from gpusim.devices import Device, get
from gpusim.devices.launch_limits import (
    HEAP_BYTES,
    PENDING_LAUNCHES,
    STACK_BYTES,
    SYNCHRONIZATION_DEPTH,
    Settings,
)
from gpusim.errors import ReportError, without_traceback
from gpusim.measurements import limits
from gpusim.reports.limits import LimitsReport
from gpusim.views import launch_limits as views
from gpusim.whole import whole

DEVICES = ("K40", "P100", "V100", "A100", "H200")


class Limits(LimitsReport):
    """Limits that show themselves."""

    __slots__ = ()

    def limits_report(self) -> LimitsReport:
        """The report alone, for the limits explorer."""
        return LimitsReport(**{each.name: getattr(self, each.name) for each in fields(self)})

    def __repr__(self) -> str:
        return views.limits_text(self)

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return views.limits_html(self)


@without_traceback
def explore_limits(
    device: str | Device | Sequence[str | Device] | None = None,
    *,
    cdp: int = 1,
    depth: int = 1,
    launches: int = 1,
    synchronization_depth: int = SYNCHRONIZATION_DEPTH,
    pending_launches: int = PENDING_LAUNCHES,
    stack_bytes: int = STACK_BYTES,
    heap_bytes: int = HEAP_BYTES,
    title: str = "Limits of launches in kernels",
) -> Limits:
    """What fits, which call fails with which error, and how much memory is reserved? Row by row.

    device: one, or several to choose among; without it, five from Kepler to Hopper. cdp: the device
    runtime, 1 unless given (whatever the device's own is) or 2. The host's kernel leads, by a chain of
    launches, to grids at this `depth`; the last parent of the chain launches so many (`launches`) at once,
    and under CDP1 waits for them. The host sets the other four limits with `cudaDeviceSetLimit` before:
    levels, launches, bytes of a thread and bytes.
    Raises `ReportError` for what is not whole, and for devices whose kernels launch nothing.
    """
    several = DEVICES if device is None else [device] if isinstance(device, str | Device) else device
    gpus = [get(each) for each in several]
    if not gpus:
        raise ReportError("limits are those of a device: name one at least")
    for gpu in gpus:
        if not gpu.launches_from_kernels:
            raise ReportError(f"kernels on {gpu.name} launch nothing: that needs compute capability 3.5")
    numbers = {"depth": depth, "launches": launches}
    settings = Settings(synchronization_depth, pending_launches, stack_bytes, heap_bytes)
    for name, number in (*numbers.items(), *settings._asdict().items()):
        least = int(name in numbers)
        whole(number, f"{name} is a whole number from {least}", least=least, error=ReportError)
    if cdp not in (1, 2):
        raise ReportError(f"cdp is 1 or 2, the device runtime's version, not {cdp!r}")
    program = limits.Program(cdp, depth, launches, settings)
    variants = tuple(limits.variant(gpu, program) for gpu in gpus)
    return Limits(title, variants, cdp, **numbers, **settings._asdict(), sentences=limits.SENTENCES)
