"""Who is told of a grid, and what? Each observer is asked once; who follows a grid hears of its end, once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import LaunchError, OutOfBounds, ReportError
from gpusim.events import BlockIssued, GridObserver, MemoryAccess
from gpusim.machine.audience import Audience
from gpusim.runtime import settings


@cuda.jit
def double(x):
    x[cuda.grid(1)] *= 2


class Follower(GridObserver):
    """Keeps the kinds of events it is given, and how its grid ended."""

    def __init__(self, *wants, interrupts=False):
        self.wants, self.interrupts = frozenset(wants), interrupts
        self.heard, self.ends = [], []

    def observe(self, event):
        assert not self.ends, "an event after the end"
        if self.interrupts:
            raise KeyboardInterrupt
        self.heard.append(type(event))

    def ended(self, error):
        self.ends.append(error)


class Gallery:
    """An observer with a new follower for each grid that it watches: those of more than `blocks` blocks."""

    def __init__(self, *wants, blocks=0, **how):
        self.wants, self.blocks, self.how = wants, blocks, how
        self.asked, self.followers = [], []

    def watches(self, launched):
        self.asked.append(launched)
        if launched.grid[0] <= self.blocks:
            return None
        self.followers.append(Follower(*self.wants, **self.how))
        return self.followers[-1]


class Refusing:
    def watches(self, launched):
        raise ReportError("this grid is too large")


def watched_by(*observers):
    return settings.during(replace(settings.current(), observers=observers))


def test_each_grid_has_a_follower_of_its_own_that_hears_it_to_its_end():
    gallery = Gallery(MemoryAccess)
    with watched_by(gallery):
        for _ in range(2):
            double[1, 32](np.ones(32))
    first, second = gallery.followers
    assert first.heard == second.heard == [MemoryAccess] * 2
    assert first.ends == second.ends == [None]
    one, other = gallery.asked
    assert one != other, "two launches are two grids, however alike"
    assert one.launched_by is other.launched_by is None, "the host launched them"


def test_a_grid_that_ends_in_an_error_tells_its_observer():
    gallery = Gallery(MemoryAccess)
    with watched_by(gallery), pytest.raises(OutOfBounds) as caught:
        double[1, 64](np.ones(40))
    assert gallery.followers[0].ends == [caught.value]


def test_so_does_a_grid_that_is_interrupted():
    gallery = Gallery(BlockIssued, interrupts=True)
    with watched_by(gallery), pytest.raises(KeyboardInterrupt, match="double was interrupted"):
        double[1, 32](np.ones(32))
    (end,) = gallery.followers[0].ends
    assert isinstance(end, KeyboardInterrupt)


def test_a_launch_that_is_refused_is_no_grid():
    gallery = Gallery()
    with watched_by(gallery), pytest.raises(LaunchError):
        double[1, 5000](np.ones(32))
    assert gallery.asked == []


def test_who_declines_a_grid_gets_nothing_of_it():
    gallery = Gallery(MemoryAccess, blocks=1)
    with watched_by(gallery):
        double[1, 32](np.ones(32))
        double[2, 32](np.ones(64))
    assert len(gallery.asked) == 2
    (follower,) = gallery.followers
    assert follower.ends == [None]


def test_events_that_nobody_wants_are_not_formed(monkeypatch):
    """An observer that declines costs what no observer costs, and one that wants barriers no access."""

    def formed(*_fields):
        raise AssertionError("an event for nobody")

    monkeypatch.setattr(MemoryAccess, "__init__", formed)
    with watched_by(Gallery(MemoryAccess, blocks=1), Gallery(BlockIssued)):
        double[1, 32](np.ones(32))
    with watched_by(Gallery(MemoryAccess)), pytest.raises(AssertionError, match="for nobody"):
        double[1, 32](np.ones(32))


def test_where_one_observer_refuses_a_grid_the_others_hear_that_it_ended():
    gallery, later = Gallery(MemoryAccess), Gallery(MemoryAccess)
    x = np.ones(32)
    with watched_by(gallery, Refusing(), later), pytest.raises(ReportError) as caught:
        double[1, 32](x)
    assert gallery.followers[0].ends == [caught.value]
    assert later.asked == []
    assert x.tolist() == [1] * 32, "it has not begun"


def test_an_observer_that_fails_at_the_end_keeps_nobody_from_hearing_it():
    class Failing(GridObserver):
        def ended(self, error):
            raise ReportError("cannot end")

    last = Follower()
    with pytest.raises(ReportError, match="cannot end"):
        Audience([Failing(), last]).ended(None)
    assert last.ends == [None]


def test_several_observers_are_one():
    """Each gets what it wants, in order; together they want all of it."""
    accesses, blocks = Follower(MemoryAccess), Follower(BlockIssued)
    audience = Audience([accesses, Audience([blocks])])
    assert audience.wants == {MemoryAccess, BlockIssued}
    assert not audience.notes_writes
    gallery = Gallery()
    gallery.watches = lambda launched: audience
    with watched_by(gallery):
        double[1, 32](np.ones(32))
    assert set(accesses.heard) == {MemoryAccess}
    assert set(blocks.heard) == {BlockIssued}
    assert accesses.ends == blocks.ends == [None]


def test_nested_profiles_count_the_same_launches():
    with gpusim.profile() as outer:
        double[1, 32](np.ones(32, np.float32))
        with gpusim.profile() as inner:
            double[1, 32](np.ones(32, np.float32))
    assert [kernel.as_dict() for kernel in outer.kernels[1:]] == [inner.kernels[0].as_dict()]
    assert (outer.global_load_sectors, inner.global_load_sectors) == (8, 4)


def test_a_profile_knows_which_of_its_launches_failed():
    """Also where the program goes on after the error, inside the profile."""
    with gpusim.profile() as run:
        double[1, 32](np.ones(32))
        with pytest.raises(OutOfBounds) as caught:
            double[1, 64](np.ones(40))
        double[1, 32](np.ones(32))
    assert [kernel.error for kernel in run.kernels] == [None, caught.value, None]


def test_checkers_begin_each_grid_anew():
    """Shared memory that the launch before wrote is uninitialized again, and its accesses race with none."""

    @cuda.jit
    def fill(x):
        tile = cuda.shared.array(32, np.float32)
        tile[cuda.threadIdx.x] = 1
        x[0 if x.size == 1 else cuda.threadIdx.x] = tile[cuda.threadIdx.x]

    @cuda.jit
    def read(x):
        tile = cuda.shared.array(32, np.float32)
        x[cuda.threadIdx.x] = tile[cuda.threadIdx.x]

    x = cuda.to_device(np.zeros(32, np.float32))
    with gpusim.sanitize("racecheck", "initcheck") as report:
        fill[1, 32](x)
        read[1, 32](x)
    assert [finding.hazard for finding in report.findings] == ["uninitialized read"]
    with gpusim.sanitize("racecheck") as report:
        for _ in range(2):
            fill[1, 32](np.zeros(1, np.float32))
    (finding,) = report.findings
    assert (finding.hazard, finding.count) == ("WAW", 62), "31 pairs in each launch, counted as one finding"
