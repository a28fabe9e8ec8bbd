"""When would a GPU do what the host asks for? A model of streams, copy engines and free multiprocessors.

Whatever is asked for begins when all that it comes after is over, and when there is room for it:

- one engine copies to the device and one to the host, a copy at a time, at the speed of the link;
- kernels run side by side while all their blocks fit on the device together, each as fast as if alone; one
  that fits in part gets on with that part until others end, and waits where nothing is free, as an H200's do
  (tests/hardware/streams.json). Memory that is set, or copied within the device, takes the multiprocessors
  alone, at the speed of DRAM;
- the host spends `Speeds.events_microseconds` on asking for a launch, a copy or memory to be set, and no
  time between its calls; a copy of memory that is not pinned keeps it until it is over. What a host
  function takes is not known, and none is assumed.

Who can begin earlier does, whatever was asked for first; priorities change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby, pairwise
from math import inf
from typing import NamedTuple

from gpusim.devices import Device
from gpusim.devices.speeds import EFFICIENCY, link, speeds
from gpusim.host_events import HostCall, TouchedInAll
from gpusim.reports.streams import After, Met, StreamCall, StreamsReport, TouchedPart

ASKED_FOR = ("launch", "copy", "memset")
LITTLE = 1e-9  # of a device
ENGINES = ("multiprocessors", "copy to device", "copy to host")
RULES = (
    "One engine copies to the device and one to the host; kernels run side by side as far as their blocks "
    "fit together, each as fast as if alone; between its calls the host takes no time."
)


class Need(NamedTuple):
    """How long does a launch run, and which part of the device's room for blocks does it take?"""

    seconds: float
    share: float


class Engine:
    """What is busy, and how much of it: (start, end, share), in seconds."""

    def __init__(self) -> None:
        self._busy: list[tuple[float, float, float]] = []

    def take(self, ready: float, need: Need) -> tuple[float, float]:
        """From when to when? It begins at the first time from `ready` on with room for some of it."""
        later = [one for one in self._busy if one[1] > ready]
        changes = sorted({ready, *(at for begin, end, _ in later for at in (begin, end) if at > ready)})
        start, left = None, need.seconds * need.share
        for at, until in pairwise([*changes, inf]):
            free = 1 - sum(share for begin, end, share in later if begin <= at < end)
            if free <= LITTLE:
                continue
            start = at if start is None else start
            taken = min(free, need.share)
            if left <= taken * (until - at) or until == inf:
                end = at + (left / taken if taken else 0.0)
                self._mark(at, end, taken)
                return start, end
            left -= taken * (until - at)
            self._mark(at, until, taken)
        raise AssertionError("after the last one there is room")

    def _mark(self, start: float, end: float, share: float) -> None:
        """What takes all and follows at once is one with what took all before."""
        for place, (begin, before, taken) in enumerate(self._busy):
            if before == start and taken == share == 1.0:
                self._busy[place] = begin, end, share
                return
        self._busy.append((start, end, share))


def scheduled(
    calls: Sequence[HostCall], device: Device, need: Callable[[HostCall], Need]
) -> list[tuple[float, float, float]]:
    """When is each call issued, when does it start and end? In seconds."""
    engines = {name: Engine() for name in ENGINES}
    asking = speeds(device).events_microseconds * 1e-6
    times: list[tuple[float, float, float]] = []
    host = 0.0
    for call in calls:
        host += asking if call.what in ASKED_FOR else 0.0
        ready = max([host, *(times[number][2] for number, _ in call.after)])
        wanted = need(call)
        engine = engines.get(call.engine)
        start, end = engine.take(ready, wanted) if engine else (ready, ready + wanted.seconds)
        times.append((host, start, end))
        if call.waits or not call.stream or not call.pinned:
            host = times[-1][2]
    return times


def moving(call: HostCall, device: Device) -> Need:
    """What a copy, or memory that is set, takes."""
    if call.what not in ("copy", "memset"):
        return Need(0.0, 0.0)
    if call.engine == "multiprocessors":
        bandwidth = device.memory_bandwidth_gb_per_s * 1e9 * EFFICIENCY
        twice = 2 if call.what == "copy" else 1
        return Need(
            call.bytes * twice / bandwidth + speeds(device).grid_start / (device.clock_mhz * 1e6), 1.0
        )
    way = link(device)
    bandwidth = way.pinned_gb_per_s if call.pinned else way.pageable_gb_per_s
    return Need(way.latency_microseconds * 1e-6 + call.bytes / (bandwidth * 1e9), 1.0)


def told(
    calls: Sequence[HostCall], left_out: int, device: Device, launches: Mapping[int, Need]
) -> StreamsReport:
    """All that the host asked for, on one device. launches: what each takes, by the number of its call."""
    times = scheduled(calls, device, lambda call: launches.get(call.number) or moving(call, device))
    streams = dict.fromkeys(call.stream for call in calls if call.stream)
    used = {call.engine for call in calls}
    return StreamsReport(
        title=", ".join(dict.fromkeys(call.text for call in calls if call.what == "launch")) or "no launch",
        device=device.name,
        lanes=("host", *streams, *(engine for engine in ENGINES if engine in used)),
        calls=tuple(
            StreamCall(
                number=call.number,
                what=call.what,
                text=call.text,
                stream=call.stream,
                engine=call.engine,
                at=call.at,
                waits=call.waits,
                issued=1e6 * issued,
                start=1e6 * start,
                end=1e6 * end,
                bytes=call.bytes,
                after=tuple(After(*after) for after in call.after),
                touched=_parts(call.touched),
                met=tuple(Met(*met) for met in call.met),
            )
            for call, (issued, start, end) in zip(calls, times, strict=True)
        ),
        left_out=left_out,
        microseconds=1e6 * max((end for _, _, end in times), default=0.0),
        rules=RULES,
        source=link(device).source,
    )


def _parts(touched: Sequence[TouchedInAll]) -> tuple[TouchedPart, ...]:
    """By kind and piece of memory, from the first byte to the last."""

    def kind(one: TouchedInAll) -> tuple[str, int]:
        return one.kind, id(one.piece)

    several = (list(own) for _, own in groupby(sorted(touched, key=kind), key=kind))
    return tuple(
        TouchedPart(
            own[0].piece.part(min(one.first for one in own), max(one.end for one in own)),
            own[0].kind,
            sum(one.bytes for one in own),
        )
        for own in several
    )
