"""Is who is named for a difference between two schedules really who wrote last, and in that order?"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.events import GridObserver, MemoryAccess
from gpusim.runtime import settings
from gpusim.schedules.culprit import missing
from gpusim.whole import bit_pattern

LOOSE = re.compile(r"thread (\d+)(?: of block (\d+))?")
WRITER = re.compile(rf"which {LOOSE.pattern} wrote in step (\d+) \(line (\d+)\)")
OVERWRITTEN = re.compile(
    rf".* was (?:over)?written by {LOOSE.pattern} in step (\d+) .*, before {LOOSE.pattern} read it"
)
EARLY = re.compile(
    rf"{LOOSE.pattern} read .* in step (\d+), before {LOOSE.pattern} wrote it(?: in step (\d+))?"
)


@cuda.jit
def rotate(x):
    s = cuda.shared.array(32, np.int32)
    i = cuda.threadIdx.x
    s[i] = x[i]
    following = s[(i + 1) % 32]
    s[i] = following
    x[i] = s[i]


@cuda.jit
def shift(x):
    """Every thread reads what the host left, unless its neighbour was quicker."""
    i = cuda.grid(1)
    if i + 1 < x.size:
        x[i] = x[i + 1]


@cuda.jit
def running_sums(x):
    s = cuda.shared.array(64, np.float64)
    i = cuda.threadIdx.x
    s[i] = x[i]
    distance = 1
    while distance < 8:
        if i >= distance:
            s[i] += s[i - distance]
        distance *= 2
    x[i] = s[i]


@cuda.jit
def histogram(x):
    i = cuda.grid(1)
    x[i % 4] += i


@cuda.jit
def two_writers(x):
    """Threads 0 and 1 write x[0], thread 2 reads it."""
    i = cuda.threadIdx.x
    if i == 0:
        x[0] = 5
    elif i == 1:
        x[0] = 6
    else:
        x[i] = x[0]


KERNELS = {
    "rotate": (rotate[1, 32], np.arange(32, dtype=np.int32)),
    "shift, one warp": (shift[1, 24], np.arange(24)),
    "shift, two blocks": (shift[2, 40], np.arange(80, dtype=np.int16)),
    "running sums": (running_sums[1, 64], np.ones(64)),
    "histogram": (histogram[1, 40], np.zeros(4, np.int32)),
    "two writers": (two_writers[1, 3], np.zeros(3, np.int32)),
}


class Log(GridObserver):
    """Every load and store of a lane, one after the other: kind, thread, bytes, line, value of a load."""

    wants = frozenset({MemoryAccess})

    def __init__(self) -> None:
        self.rows: list[tuple[str, int, set[tuple[object, int]], int, object]] = []

    def watches(self, launched):
        self.per_block, self.threads = launched.warps_per_block, launched.device.warp_size
        return self

    def observe(self, event):
        line = event.instruction.span.outermost.line
        for row, warp in enumerate(event.warps.tolist()):
            window = warp // self.per_block if event.space.value == "shared" else event.space.value
            for lane in np.flatnonzero(event.active[row]).tolist():
                octets = {(window, int(event.addresses[row, lane]) + byte) for byte in range(event.width)}
                value = event.memory[event.elements[row, lane]].copy()
                self.rows.append((event.kind, warp * self.threads + lane, octets, line, value))

    def named(self, thread: str, block: str | None) -> int:
        return int(block or 0) * self.per_block * self.threads + int(thread)

    def last_writer(self, place: int) -> int | None:
        """Where is the last store to what is loaded there?"""
        octets = self.rows[place][2]
        return next(
            (
                at
                for at in reversed(range(place))
                if self.rows[at][0] == "store" and self.rows[at][2] & octets
            ),
            None,
        )

    def stores(self, thread: int, octets) -> list[int]:
        """Where does a thread store there?"""
        return [
            at
            for at, (kind, by, to, *_) in enumerate(self.rows)
            if (kind, by) == ("store", thread) and to & octets
        ]


def logged(launch, x, schedule, device) -> Log:
    log = Log()
    chosen = settings.changed(device, "independent", schedule=schedule)
    with settings.during(replace(chosen, observers=(log,))):
        launch(x.copy())
    return log


def parted(logs: list[Log], thread: int) -> list[int]:
    """Where does a thread first load something else?"""
    loads = [
        [at for at, (kind, by, *_) in enumerate(log.rows) if (kind, by) == ("load", thread)] for log in logs
    ]
    return next([a, b] for a, b in zip(*loads, strict=False) if logs[0].rows[a][2:] != logs[1].rows[b][2:])


@pytest.mark.parametrize("device", ["H200", "MetaX C500"])
@pytest.mark.parametrize("name", KERNELS)
def test_the_named_writer_is_the_last_before_the_read_in_that_run(name, device):
    launch, x = KERNELS[name]
    checked = 0
    for first in range(0, 30, 6):
        seeds = ["friendly", *range(first, first + 6)]
        found = gpusim.explore_schedules(launch, x, schedules=seeds, device=device, scheduling="independent")
        report = found.schedule_report()
        runs = [
            logged(launch, x, found.outcomes[v.outcome].schedules[0], found.device) for v in report.variants
        ]
        for difference in report.differences:
            if not difference.here.startswith("reads"):
                continue
            logs, variants = [runs[n] for n in difference.pair], [report.variants[n] for n in difference.pair]
            reader = logs[0].named(*LOOSE.fullmatch(difference.thread).groups())
            places = parted(logs, reader)
            for log, place, cause, variant in zip(logs, places, difference.causes, variants, strict=True):
                writer = log.last_writer(place)
                if writer is None:
                    assert cause.says in {"where nobody had written", "which nobody had changed"}
                    continue
                thread, block, step, line = WRITER.fullmatch(cause.says).groups()
                assert log.rows[writer][1] == log.named(thread, block)
                assert log.rows[writer][3] == int(line)
                assert cause.step == int(step) - 1
                now = variant.steps[cause.step]
                assert report.parts[now.part].line == int(line)
                assert int(now.mask, 16) >> (log.named(thread, block) % log.threads) & 1
                assert cause.place[1] in [written.element for written in now.writes[cause.place[0]]]
            checked += 1 if in_that_order(difference, logs, places) else 0
    assert checked > 5, "kernels whose outcomes depend on the order of reads and writes"


def in_that_order(difference, logs: list[Log], places: list[int]) -> bool:
    """Is the story of the second run what happened in it?"""
    if difference.why is None:
        return False
    (_, there), (before, read) = logs, places
    if match := OVERWRITTEN.match(difference.why.says):
        writer = there.named(*match.groups()[:2])
        assert there.rows[there.last_writer(read)][1] == writer
        assert int(match[3]) - 1 == difference.why.step <= difference.steps[1]
        return True
    if match := EARLY.fullmatch(difference.why.says):
        writer = logs[0].rows[logs[0].last_writer(before)][1]
        assert writer == there.named(*match.groups()[3:5])
        turn = sum(at < before for at in logs[0].stores(writer, logs[0].rows[before][2]))
        made = there.stores(writer, there.rows[read][2])
        assert sum(at < read for at in made) < turn, "it had been written there after all"
        assert match[6] is None or len(made) >= turn  # without a step: another lane had the last word there
        return True
    return " was written by " in difference.why.says


def test_a_story_that_can_be_checked_by_hand():
    """Thread 0 reads x[1] before thread 1 overwrites it, or after."""
    found = gpusim.explore_schedules(shift[1, 3], np.array([5, 6, 7]), schedules=40)
    report = found.schedule_report()
    difference = next(each for each in report.differences if each.pair[0] == 0 and each.why)
    assert difference.thread == "thread 0"
    assert (difference.here, difference.there) == ("reads 6 from x[1]", "reads 7 from x[1]")
    assert difference.causes[0].says == "which nobody had changed"
    read = difference.steps[1] + 1
    by = r"x\[1\] was overwritten by thread 1 in step \d+ \(line \d+\), before thread 0 read it in step "
    assert re.fullmatch(by + str(read), difference.why.says)
    assert difference.why.place == ("x", 1)


def test_atomics_of_many_threads_are_named_together():
    @cuda.jit
    def count(total, seen):
        i = cuda.threadIdx.x
        cuda.atomic.add(total, 0, 1)
        seen[i] = total[0]

    found = gpusim.explore_schedules(count[1, 8], np.zeros(1, np.int32), np.zeros(8, np.int32), schedules=12)
    said = {c.says for d in found.schedule_report().differences for c in d.causes if c}
    assert any(
        re.fullmatch(r"which \d threads with atomics wrote in step \d+ \(line \d+\)", each) for each in said
    )


def test_lanes_that_are_missing_are_looked_for():
    assert (
        missing(0b0110, [(0, 7, 0b1111), (3, 8, 0b0110)]).says
        == "without 2 lanes, which last ran line 8 in step 4"
    )
    some = missing(0b1110, [(0, 7, 0b1111), (3, 8, 0b0110)])
    assert (some.says, some.step) == ("without 3 lanes, 2 of which last ran line 8 in step 4", 3)
    assert missing(0b1, []).says == "without 1 lane, which have not begun"
    assert missing(0, []) is None


def test_bit_patterns_are_shown_in_hex_where_asked():
    found = gpusim.explore_schedules(
        rotate[1, 32], np.arange(32, dtype=np.int32), schedules=8, in_hexadecimal=["s", "x"]
    )
    assert found.outcomes[0].describe().startswith("x = [0x00000001, 0x00000002, 0x00000003")
    assert "0xffffffff, not 0x" in repr(found)
    report = found.schedule_report()
    arrays = {array.name: array.initial for array in report.variants[0].memory}
    assert arrays["x"][:2] == ("0x00000000", "0x00000001")
    assert "0x" in report.differences[0].here
    assert bit_pattern(np.int16(-2)) == "0xfffe"
    with pytest.raises(gpusim.errors.LaunchError, match="names no array of rotate: y"):
        gpusim.explore_schedules(rotate[1, 32], np.arange(32), in_hexadecimal=["x", "y"])
