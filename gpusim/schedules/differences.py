"""Where does one schedule of a launch part from another, and why? For the schedule explorer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from gpusim.reports import schedule as reports
from gpusim.reports.exploration import ExplorationReport
from gpusim.reports.source import SourceText
from gpusim.reports.warp import Warp
from gpusim.schedules import culprit
from gpusim.schedules.interleaving import Interleaving, Seen


def first_difference(traces: Sequence[Interleaving], pair: tuple[int, int]) -> reports.FirstDifference | None:
    """Where does a thread first see what it does not see in the other run? Steps of both, sentences, causes.

    No thread saw anything else before, in the order of the first run; so the order alone made the difference.
    """
    a, b = (traces[number] for number in pair)
    found: list[tuple[int, int, Seen, Seen, int]] = []
    for thread, seen in a.seen.items():
        pairs = zip(seen, b.seen.get(thread, []), strict=False)
        parted = next(((here, there) for here, there in pairs if here.what != there.what), None)
        if parted:
            found.append((parted[0].step, parted[1].step, *parted, thread))
    if not found:
        return None
    *_, here, there, thread = min(found, key=lambda each: each[:2])
    causes, why = _explained(traces, pair, here, there, a.thread_name)
    return reports.FirstDifference(
        pair=pair,
        steps=(here.step, there.step),
        thread=a.thread_name(thread),
        here=_sentence(here.what),
        there=_sentence(there.what),
        causes=causes,
        why=why,
    )


def _explained(
    traces: Sequence[Interleaving], pair: tuple[int, int], here: Seen, there: Seen, name: culprit.Name
) -> tuple[tuple[reports.Cause | None, reports.Cause | None], reports.Cause | None]:
    """Where did each thing seen come from, and why are they different?"""
    kind, *place = here.what[:3]
    if here.read and there.read and [kind, *place] == list(there.what[:3]):
        same = kind == "reads"
        causes = culprit.cause(here.read, name), culprit.cause(there.read, name)
        return causes, culprit.why(here.read, there.read, name) if same else None
    if kind == there.what[0] == "runs with":
        masks = int(here.what[3], 16), int(there.what[3], 16)
        found = [
            culprit.missing(masks[1 - side] & ~masks[side], traces[number].ran(seen.step))
            for side, (number, seen) in enumerate(zip(pair, (here, there), strict=True))
        ]
        return (found[0], found[1]), None
    return (None, None), None


def report(traces: Sequence[Interleaving], exploration: ExplorationReport) -> reports.ScheduleReport:
    """Interleavings of one launch, with the first difference of every two."""
    event = traces[0].event
    source, lanes, parts = event.function.source, event.device.warp_size, dict[reports.Part, int]()
    threads = math.prod(event.block)
    drawn = set().union(*(trace.written for trace in traces))
    variants = tuple(trace.variant(parts, drawn) for trace in traces)
    places = (
        divmod(index, event.warps_per_block) for index in range(math.prod(event.grid) * event.warps_per_block)
    )
    pairs = combinations(range(len(traces)), 2)
    return reports.ScheduleReport(
        title=event.function.name,
        source=SourceText(source.name, source.first_line, source.lines),
        exploration=exploration,
        lanes=lanes,
        warps=tuple(Warp((block,), warp, min(lanes, threads - warp * lanes)) for block, warp in places),
        parts=tuple(parts),
        variants=variants,
        differences=tuple(found for pair in pairs if (found := first_difference(traces, pair)) is not None),
    )


def _sentence(what: tuple[str, str, int, str]) -> str:
    kind, name, element, value = what
    match kind:
        case "runs with":
            return f"runs with the active mask {value}"
        case "has its turn at":
            return f"has turn {value} at {name}[{element}]"
        case "writes":
            return f"writes {value} to {name}[{element}]"
    return f"reads {value} from {name}[{element}]"
