"""What orders two calls of the host, as the happens-before view shows it?"""

from __future__ import annotations

from itertools import combinations

from gpusim.reports.order import Arrow, OrderBox, OrderReport, OrderRow, OrderVariant, Pair, nexts
from gpusim.reports.streams import ORDERED_BY, StreamCall, StreamsReport
from gpusim.whole import number_of

MOST = 60
APART = "a GPU may do either first, or both at once. They share no bytes that one of them writes."
HOST = {"synchronise": "waits"}
UNKNOWN = (
    "a GPU may do either first, or both at once. Which bytes a launch in the default stream touches is not "
    'recorded here: gpusim.sanitize("streamcheck") knows.'
)


def of(streams: StreamsReport) -> OrderReport:
    """The first calls in their lanes, each with the way that leads to it from every other."""
    calls = streams.calls[:MOST]
    lanes = ("host", *dict.fromkeys(call.stream for call in calls if call.stream))
    ways = nexts([[after.call for after in call.after] for call in calls])
    boxes = tuple(
        OrderBox(
            row=call.number,
            lanes=(lanes.index(call.stream or "host"),),
            kind=call.what,
            text=call.what if call.text == "synchronize" else call.text,
            called=call.called,
            after=tuple(Arrow(after.call, after.why) for after in call.after),
            next=way,
        )
        for call, way in zip(calls, ways, strict=True)
    )
    hidden = streams.left_out + len(streams.calls) - len(calls)
    variant = OrderVariant(
        label=streams.title,
        what="calls",
        lanes=lanes,
        whys={why: ORDERED_BY[why] for why in dict.fromkeys(a.why for call in calls for a in call.after)},
        rows=tuple(OrderRow(call.at.line, call.at.source.strip(), _says(call, calls)) for call in calls),
        boxes=boxes,
        pairs=tuple(_pairs(calls, ways)),
        apart=APART,
        left_out=f"{number_of(hidden, 'more call')} left out." if hidden else "",
    )
    return OrderReport(streams.title, (variant,))


def _says(call: StreamCall, calls: tuple[StreamCall, ...]) -> str:
    """`The host asks for launch of scale in stream 2 (line 16). It follows …`"""
    asked = f"The host {HOST.get(call.what, f'{call.text}s memory')} (line {call.at.line})."
    if call.stream:
        asked = f"The host asks for {call.called}" + (" and waits for it." if call.waits else ".")
    held = [
        f"{' and '.join(calls[number].called for number in each)}: {ORDERED_BY[why]}"
        for why, each in _by_reason(call).items()
    ]
    return f"{asked} It follows {'; and '.join(held)}." if held else f"{asked} It waits for nothing."


def _by_reason(call: StreamCall) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for after in call.after:
        found.setdefault(after.why, []).append(after.call)
    return found


def _pairs(calls: tuple[StreamCall, ...], ways: list[tuple[int, ...]]) -> list[Pair]:
    """Those that race, and those of which nobody knows."""
    found = []
    for first, second in combinations(calls, 2):
        met = [each for each in second.met if each.call == first.number]
        pair = first.number, second.number
        if met:
            says = "; ".join(each.says for each in met)
            found.append(Pair(pair, True, f"both touch {met[0].part}, which is a race: {says}.", met[0].hint))
        elif ways[pair[1]][pair[0]] < 0 and any(
            c.what == "launch" and not c.touched for c in (first, second)
        ):
            found.append(Pair(pair, False, UNKNOWN, ""))
    return found
