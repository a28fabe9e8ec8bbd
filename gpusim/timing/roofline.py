"""Under which roof does a kernel lie? Operations on floats per second, against those per byte it moves."""

from __future__ import annotations

from collections.abc import Iterable

from gpusim.devices import Device, get
from gpusim.devices.speeds import speeds
from gpusim.errors import ReportError
from gpusim.measurements.requests import SECTOR_BYTES
from gpusim.reports.roofline import Limit, Place, RooflineDevice, RooflinePoint, RooflineReport
from gpusim.reports.timing import MOVED_BY, TimingReport
from gpusim.timing.hierarchy import DATA
from gpusim.whole import percent, quantity

FLOPS, BYTES = "FLOP/s", "bytes/s"


def roofs(device: str | Device) -> RooflineDevice:
    """What a device can compute and move in a second. An H200: 67 TFLOP/s, 4.4 TB/s from DRAM."""
    gpu, figures = get(device), speeds(device)
    hertz = gpu.clock_mhz * 1e6
    units = {"FP32": gpu.fp32_units, "FP64": gpu.fp64_units}
    sectors = {
        "DRAM": figures.dram_sectors,
        "L2": figures.l2_sectors,
        "L1 and shared memory": DATA * gpu.multiprocessors,
    }
    return RooflineDevice(
        name=gpu.name,
        compute=tuple(
            _limit(name, 2.0 * count * gpu.multiprocessors * hertz, FLOPS)
            for name, count in units.items()
            if count
        ),
        levels=tuple(_limit(name, count * SECTOR_BYTES * hertz, BYTES) for name, count in sectors.items()),
        source=figures.source,
    )


def _limit(name: str, most: float, unit: str) -> Limit:
    return Limit(name, most, f"{name} {quantity(most, unit)}")


def of(timing: TimingReport, others: Iterable[str | Device] = ()) -> RooflineReport:
    """A run under the roofs of its device; the roofs of other devices are there to compare."""
    if ", " in timing.device:
        raise ReportError(f"a roofline shows one device; the launches of this run are on {timing.device}")
    device = roofs(timing.device)
    names = {device.name: device, **{other.name: other for other in map(roofs, others)}}
    point = _point(timing, device)
    return RooflineReport(
        title=f"Roofline: {timing.kernel}", variants=(point,), devices=tuple(names.values())
    )


def _point(timing: TimingReport, device: RooflineDevice) -> RooflinePoint:
    seconds = timing.cycles / (get(device.name).clock_mhz * 1e6)
    used = {roof.name: roof for roof in timing.roofs}
    doubles = used["FP64 pipe"].used if "FP64 pipe" in used else 0.0
    compute = "FP64" if doubles and doubles >= getattr(used.get("FP32 pipe"), "used", 0.0) else "FP32"
    compute = compute if any(limit.name == compute for limit in device.compute) else device.compute[0].name
    most = next(limit.most for limit in device.compute if limit.name == compute)
    performance = timing.flops / seconds
    moved = {
        "DRAM": timing.dram_bytes / seconds,
        "L2": timing.l2_bytes / seconds,
        "L1 and shared memory": used["L1 and shared memory"].amount,
    }
    bound = "latency" if timing.bound_by == "latency" else f"{timing.bound_by} ({percent(timing.of_roof)})"
    return RooflinePoint(
        label=timing.kernel,
        device=device.name,
        performance=performance,
        says=f"Bound by {bound}. What makes it faster: {MOVED_BY[timing.bound_by]}.",
        places=tuple(_place(performance, moved[level.name], level, compute, most) for level in device.levels),
    )


def _place(performance: float, moved: float, level: Limit, compute: str, most: float) -> Place:
    rate = f"{quantity(moved, BYTES)} of {quantity(level.most, BYTES)}, {percent(moved / level.most)}"
    if not performance:
        return Place(None, None, moved, f"It computes no floats; of {level.name} it moves {rate}.")
    if not moved:
        return Place(
            None, None, moved, f"It computes {quantity(performance, FLOPS)} and needs no {level.name}."
        )
    intensity = performance / moved
    attainable = min(most, intensity * level.most)
    roof = compute if attainable == most else level.name
    return Place(
        intensity,
        attainable,
        moved,
        f"{quantity(performance, FLOPS)}, {percent(performance / attainable)} of what {roof} allows a kernel "
        f"with {intensity:.3g} operations per byte of {level.name}.",
    )
