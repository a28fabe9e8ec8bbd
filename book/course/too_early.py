"""What did an H200 do without a wait? Who read too early, and what ran beside what."""

from __future__ import annotations

from typing import Any

from course import figures
from course.records import recorded

MEGABYTES_64 = 64 << 20


def copied(what: str) -> str:
    """How many milliseconds did an H200 take for 64 MB?"""
    took = {(name, size): whole for name, size, _, whole in recorded("streams", "copies")}
    return f"{took[what, MEGABYTES_64] / 1000:.2f}"


def begun(order: str, tag: int) -> str:
    """How many milliseconds after the first did an H200 begin (10 k + 1) or end (10 k + 2) launch k?"""
    return f"{dict(dict(recorded('streams', 'orders'))[order][0])[tag] / 1e6:.2f}"


# what the page calls it -> the record's name, and the stream of each launch
ASKED = {
    "two streams": ("a, b", ("stream 1", "stream 2")),
    "the default stream in between": ("a, default, b", ("stream 1", "default", "stream 2")),
    "and a non-blocking stream": ("a, default, non-blocking", ("stream 1", "default", "non-blocking")),
}


def side_by_side() -> tuple[Any, str, str]:
    """When did an H200 run launches that streams order, and that they leave free? Figure, caption, words."""
    figure, axes = figures.new(height=4.0)
    row, names, words = 0.0, [], []
    for title, (order, streams) in ASKED.items():
        at = dict(dict(recorded("streams", "orders"))[order][0])
        axes.text(4, row, title, fontweight="bold", va="center")
        for launch, stream in enumerate(streams, 1):
            row += 1
            begin, end = at[10 * launch + 1] / 1000, at[10 * launch + 2] / 1000
            colour = "#d55e00" if stream == "default" else "#0072b2"
            axes.broken_barh([(begin, end - begin)], (row - 0.35, 0.7), color=colour)
            names.append((row, stream))
            words.append(f"{title}, {stream}: {begin:.0f} to {end:.0f}")
        row += 1.4
    axes.set_yticks([at for at, _ in names], [name for _, name in names])
    axes.set(xlabel="microseconds on an H200", ylim=(row - 0.6, -0.6), xlim=(0, 420))
    axes.tick_params(axis="y", length=0)
    caption = (
        "Kernels in two streams ran at once. A kernel in the default stream waited for the one before it, "
        "and the one after it waited in its turn, unless its stream was non-blocking."
    )
    return figure, caption, "When kernels ran, in microseconds. " + "; ".join(words) + "."


def h200() -> dict[str, Any]:
    """What an H200 did, each under the name by which the page says it."""
    host = {(row["memory"], row["elements"]): row["early"] for row in recorded("levels", "host")}
    warp = {(row["barrier"], row["data"]): row["wrong"] for row in recorded("levels", "warp")}
    block = {row["blocks"]: row["wrong"] for row in recorded("levels", "block")}
    grids = {row["blocks"]: row["stuck"] for row in recorded("levels", "backwards")}
    assert not any(sum(each) for key, each in host.items() if key[0] == "pageable")
    assert warp["syncwarp", "the same"] == warp["syncthreads", "new"] == [0, 0, 0]
    assert not any(sum(row["wrong"]) for row in recorded("levels", "last_block"))
    ends, stuck = (next(n for n, times in grids.items() if times[0] == many) for many in (0, 20))
    assert max(n for n, times in grids.items() if not any(times)) == stuck - 1 > ends
    return {
        "pinned": copied("pinned to device, async"),
        "pageable": copied("pageable to device, async"),
        "beside": copied("to device beside a kernel of 1000 us"),
        "both_ways": copied("to device and to host, two streams"),
        "twice": copied("twice to device, two streams"),
        "full": begun("a fills the GPU, b one block", 21),
        "high": begun("low fills the GPU, low again, high fills it", 31),
        "low": begun("low fills the GPU, low again, high fills it", 21),
        "early_pinned": host["pinned", 8][0],
        "early_pageable": host["pageable", 8][0],
        "wrong_same": warp["syncwarp", "the same"][0],
        "wrong_new": warp["syncwarp", "new"][0],
        "wrong_two": block[2][0],
        "wrong_sixteen": f"{block[16][0]:,}",
        "grid_ends": f"{stuck - 1:,}",
        "grid_stuck": f"{stuck:,}",
        "sanitizer": recorded("levels", "racecheck")[1].split("[")[1].rstrip("]"),
    }
