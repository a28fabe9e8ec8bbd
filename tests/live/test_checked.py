"""What checkers look at in the launches of a cell: for how long, and what is said of the rest."""

from __future__ import annotations

import itertools

import numpy as np

from gpusim.checkers.initialization import Initialization
from tests.live.test_session import kinds

RACES = """import gpusim, numpy as np
from gpusim import cuda

@cuda.jit
def turn(x):
    s = cuda.shared.array(64, np.int32)
    i = cuda.threadIdx.x
    s[i] = x[i]
    {}
    x[i] = s[63 - i]
"""
LAUNCH = "x = np.arange(64, dtype=np.int32)\nwith gpusim.profile() as run:\n    turn[1, 64](x)\nint(x[0])"


def test_a_barrier_that_is_gone_is_found_where_launches_are_checked(session):
    session.run(1, RACES.format("cuda.syncthreads()"))
    assert kinds(session.run(2, LAUNCH, checks=True)) == [("shown", "63")]
    session.run(1, RACES.format("pass"))
    assert kinds(session.run(2, LAUNCH)) == [("shown", "63")]
    found, shown = session.run(2, LAUNCH, checks=True)
    assert (found.kind, shown.text) == ("found", "63")
    assert found.text.startswith("racecheck finds: thread (")
    assert found.text.endswith("nothing orders the two, line 8 of In[1], line 10 of In[1].")
    (stray,) = session.run(3, "turn[1, 64](x[:8])", checks=True)  # an error is an error
    assert "OutOfBounds" in stray.text


WRITES = """import gpusim, numpy as np
from gpusim import cuda

@cuda.jit
def put(out):
    for row in range(200):
        out[row, cuda.grid(1)] = 1

@cuda.jit
def take(x, out):
    out[cuda.grid(1)] = x[199, cuda.grid(1)]
"""


def test_checkers_take_a_bounded_time_and_what_they_leave_out_is_said(session):
    from checked import checked

    session.run(1, RACES.format("pass"))
    session.run(2, LAUNCH)
    turn, said = (
        session.names["turn"],
        "Not all of the kernel turn, In[1], was checked: checks take 1 s of a cell at most.",
    )
    for seconds, many, lines in ((1.0, 1, []), (0.0, 0, [said])):
        found, left_out = [], []
        with checked(found, left_out, seconds):
            turn[1, 64](session.names["x"])
        assert (len(found), left_out) == (many, lines)
    large = session.run(3, "turn[2048, 64](np.arange(64, dtype=np.int32))", checks=True)
    assert kinds(large) == [
        (
            "unchecked",
            "Not all of the kernel turn, In[1], was checked: no grid of more than 16,384 threads is checked.",
        )
    ]


def test_initcheck_keeps_to_its_time_and_calls_nothing_unwritten_that_it_did_not_follow(session, monkeypatch):
    """Half-way through the kernel that writes, the time is over: the next reads what is written."""
    import checked

    ticks, heard, observe = itertools.count(), [], Initialization.observe
    monkeypatch.setattr(Initialization, "observe", lambda *both: (heard.append(both), observe(*both)))
    monkeypatch.setattr(checked.time, "perf_counter", lambda: next(ticks) / 10)
    session.run(1, WRITES)
    session.run(2, "out = cuda.device_array((200, 64), np.int32)")
    names, found, left_out = session.names, [], []
    with checked.checked(found, left_out):
        names["put"][1, 64](names["out"])
    assert 0 < len(heard) < 12
    assert len(left_out) == 1
    with checked.checked(found, []):
        names["take"][1, 64](names["out"], np.zeros(64, np.int32))
    assert found == []


def test_a_checker_that_breaks_ends_no_launch_and_is_no_finding(session, monkeypatch):
    from checked import checked

    def broken(*_):
        raise RuntimeError("broken")

    session.run(1, RACES.format("pass"))
    session.run(2, LAUNCH)
    monkeypatch.setattr("gpusim.checkers.initialization.Initialization.observe", broken)
    found, left_out = [], []
    with checked(found, left_out):
        session.names["turn"][1, 64](session.names["x"])
    assert left_out == [
        "Not all of the kernel turn, In[1], was checked: a checker broke down, with RuntimeError: broken."
    ]
    monkeypatch.setattr("gpusim.checkers.sanitize._Checks.watches", broken)
    with checked([], left_out := []):
        session.names["turn"][1, 64](session.names["x"])
    assert len(left_out) == 1  # one that broke before it began is told, too
