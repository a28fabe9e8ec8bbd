"""What does a launch in a kernel cost, however many there are? The same: 10,000 take less than 5 seconds."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda, cudart
from gpusim.runtime import progress

ROOT = Path(__file__).resolve().parents[2]
PENDING = cudart.cudaLimit.cudaLimitDevRuntimePendingLaunchCount
OBSERVERS = {
    "nobody": nullcontext,
    "profile": gpusim.profile,
    "racecheck": partial(gpusim.sanitize, "racecheck"),
}


@cuda.jit
def child(x, i):
    x[i] += i


@cuda.jit
def parent(x):
    i = cuda.grid(1)
    child[1, 1](x, i)


@pytest.fixture(autouse=True)
def _room():
    cudart.cudaDeviceSetLimit(PENDING, 20_000)
    yield
    cudart.cudaDeviceSetLimit(PENDING, 2048)


def launch(count):
    """So many children, one of each block."""
    x = np.zeros(count, np.int64)
    parent[count, 1](x)
    assert (x == np.arange(count)).all()


def calls(work):
    """How many calls does Python make meanwhile? Work, on which a busy machine has no influence."""
    found = 0

    def note(_frame, event, _argument):
        nonlocal found
        found += event in ("call", "c_call")

    gc.collect()
    gc.disable()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
        gc.enable()
    return found


def calls_of_launches(observer):
    """The calls of 400, 800 and 1600 launches."""
    progress.PATIENCE_S = np.inf  # a bar after two seconds takes steps of its own
    cudart.cudaDeviceSetLimit(PENDING, 20_000)

    def work(count):
        with OBSERVERS[observer]():
            launch(count)

    work(10)
    return [calls(partial(work, count)) for count in (400, 800, 1600)]


@pytest.mark.parametrize("observer", OBSERVERS)
def test_each_launch_takes_as_many_steps_of_python_however_many_there_are(observer):
    """In a process of its own, where no other test has left anything whose end takes steps meanwhile."""
    program = f"from {__name__} import calls_of_launches; print(*calls_of_launches({observer!r}))"
    told = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    first, second, third = map(int, told.stdout.split())
    assert (third - second) / 800 <= 1.02 * (second - first) / 400


@pytest.mark.skipif(sys.platform == "emscripten", reason="a browser's seconds say nothing of a computer's")
def test_ten_thousand_take_less_than_five_seconds_and_each_as_long_as_of_a_thousand():
    """In time of the processor, of which a busy machine takes some more: so not exactly as long."""
    seconds = {}
    for count in (10, 1000, 10_000):
        start = time.process_time()
        launch(count)
        seconds[count] = time.process_time() - start
    assert seconds[10_000] < 5
    assert seconds[10_000] / 10_000 < 3 * seconds[1000] / 1000
