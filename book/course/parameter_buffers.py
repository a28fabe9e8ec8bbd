"""What did an H200 do when kernels made the two calls of a launch themselves?"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from course.records import recorded

RECORD = recorded("parameter_buffers")
MANY = recorded("parameter_buffers", "many")
ADDRESSES = [address for _, _, given in RECORD["asked"] for address in given]
PENDING = 69  # cudaErrorLaunchPendingCountExceeded


def many(buffers: int, every: int) -> Any:
    """One thread asked for so many buffers, and launched from every second, or third, or from none (0)."""
    asked = (buffers, every, "older")
    (row,) = (row for row in MANY if (row["buffers"], row["launched from every"], row["pair"]) == asked)
    return row


def refused() -> dict[str, str]:
    """Which of the two calls said no, at which buffer? And how many had no launch until then?"""
    none, each, second, third = (many(*asked) for asked in ((100_000, 0), (6000, 1), (5000, 2), (6000, 3)))
    if {row["first null"] for row in MANY} != {-1}:
        raise AssertionError("the page says that there was a buffer each time")
    if [row["its error"] for row in (each, second, third)] != [0, PENDING, PENDING]:
        raise AssertionError("the page says that the launches gave this error, but for those from each")
    found = {"unlaunched": none["given"]}
    for name, row in {"second": second, "third": third}.items():
        at, launched = row["first that failed"], row["launched"]
        found |= {name: launched, f"{name}_at": at, f"{name}_kept": at - launched}
    return {name: f"{number:,}" for name, number in found.items()}


def addresses() -> dict[str, str]:
    """How many addresses came, how far behind a multiple of 64, and how far apart?"""
    (behind,) = {address % 64 for address in ADDRESSES}
    (apart,) = {second - first for _, _, given in RECORD["asked"] for first, second in pairwise(given)}
    return {"given": str(len(ADDRESSES)), "behind": str(behind), "apart": f"{apart:,}"}


def largest() -> int:
    """The most bytes that were asked for."""
    return int(max(size for _, sizes, _ in RECORD["asked"] for size in sizes))


def without_buffer() -> str:
    """Who got null?"""
    if not all(ADDRESSES):
        raise AssertionError("the page says that there was a buffer each time")
    return "nobody"


def left(case: str) -> list[int]:
    """What a kernel of the page left in x."""
    (row,) = (each for each in RECORD["kernels"] if each[0] == case)
    return list(row[2])


def edited() -> list[int]:
    """What the child left of a parent in whose PTX 39 stood in the place of 3."""
    return list(RECORD["edited_ptx"])


def twenty() -> dict[str, str]:
    """Clocks of a warp that launches twenty kernels: the median of five processes, to the thousand."""
    return {how: f"{round(sorted(clocks)[2], -3):,}" for how, clocks in RECORD["clocks"].items()}


def did(mistake: str) -> str:
    """What became of a mistake, in words."""
    ((_, errors, x, _),) = (each for each in RECORD["mistakes"] if each[0] == mistake)
    if errors == ["no end"]:
        return f"both children run (`x[0]` is {x}); the program had not ended after 8 s"
    if errors == ["cudaSuccess"]:
        return "no error"
    words = (re.sub("([A-Z])", r" \1", each.removeprefix("cudaError")).strip().lower() for each in errors)
    return f"the host is told: {', or '.join(words)}"
