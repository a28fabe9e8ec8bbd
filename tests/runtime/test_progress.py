"""When does a launch show a progress bar, and what does an interrupt leave behind?"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from jupyter_client.manager import start_new_kernel

import gpusim
from gpusim import cuda
from gpusim.runtime import progress

ROOT = Path(__file__).parents[2]


@cuda.jit
def count_up(x, rounds):
    i = cuda.grid(1)
    for _ in range(rounds):
        x[i] += 1


class RecordedBar:
    """Stands for tqdm's bar and keeps what it is told."""

    made: list[RecordedBar]
    disable = False

    def __init__(self, **options):
        self.options, self.n, self.seen, self.closed, self.start_t = options, 0, [], False, 0.0
        self.made.append(self)

    def update(self, more):
        self.n += more
        self.seen.append(self.n)

    def refresh(self):
        assert not self.closed

    def close(self):
        self.closed = True


@pytest.fixture
def bars(monkeypatch):
    """The bars that were shown, in place of tqdm's."""
    RecordedBar.made = []
    tqdm = types.ModuleType("tqdm")
    tqdm.auto, tqdm.std = types.SimpleNamespace(tqdm=RecordedBar), types.SimpleNamespace(tqdm=RecordedBar)
    monkeypatch.setitem(sys.modules, "tqdm", tqdm)
    return RecordedBar.made


@pytest.fixture
def at_once(monkeypatch):
    """Two seconds pass like nothing."""
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    monkeypatch.setattr(progress, "BETWEEN_UPDATES_S", 0.0)


def test_a_short_launch_shows_none(bars):
    count_up[4, 64](np.zeros(256), 10)
    assert bars == []


def test_a_long_launch_shows_one_that_goes(bars, at_once, machine):
    x = np.zeros(4096 * 256, np.int8)
    count_up[4096, 256](x, 20)
    (bar,) = bars
    assert (x == 20).all()
    assert bar.options["total"] == 4096
    assert bar.options["desc"] == "count_up"
    assert bar.options["leave"] is False
    assert bar.seen == sorted(bar.seen)
    assert len(set(bar.seen)) > 3
    assert bar.seen[-1] == 4096
    assert bar.closed


def test_blocks_that_are_done_early_count_within_a_batch(bars, at_once):
    @cuda.jit
    def uneven(x):
        for _ in range(100 * cuda.blockIdx.x):
            x[cuda.blockIdx.x] += 1

    with gpusim.use(schedule="serial"):
        uneven[4, 32](np.zeros(4))
    assert {1, 2, 3, 4} <= set(bars[0].seen)


def test_a_launch_of_very_many_threads_says_once_how_long_it_takes(bars, at_once, monkeypatch, recwarn):
    monkeypatch.setattr(progress, "MANY_THREADS", 4096 * 256 - 1)
    count_up[4096, 256](np.zeros(4096 * 256, np.int8), 20)
    (told,) = [str(one.message) for one in recwarn]
    assert re.match(r"count_up: 1,048,576 threads, which take about \d+ (seconds|minutes) more here", told)
    monkeypatch.setattr(progress, "MANY_THREADS", 4096 * 256)
    count_up[4096, 256](np.zeros(4096 * 256, np.int8), 20)
    assert len(recwarn) == 1


def test_a_launch_that_fails_leaves_no_bar(bars, at_once):
    with gpusim.use(step_budget=100), pytest.raises(gpusim.errors.Livelock):
        count_up[1, 32](np.zeros(32), 10**9)
    assert bars[0].closed


def test_without_tqdm_nothing_is_shown_and_nothing_breaks(monkeypatch, at_once, capfd):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    x = np.zeros(32)
    count_up[1, 32](x, 100)
    assert (x == 100).all()
    assert capfd.readouterr() == ("", "")


def test_a_log_gets_no_bar():
    """A bar belongs on a terminal: where stderr is a file or a pipe, it stays clean."""
    code = (
        "import numpy as np\nfrom gpusim.runtime import progress\nprogress.PATIENCE_S = 0\n"
        "import sys; sys.path.insert(0, 'tests/runtime')\nfrom test_progress import count_up\n"
        "count_up[1, 32](np.zeros(32), 100)\nassert 'tqdm' in sys.modules\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert (result.stdout, result.stderr) == ("", "")


def test_an_interrupt_leaves_memory_readable_and_says_where_lanes_were(bars, at_once, monkeypatch, machine):
    monkeypatch.setattr(RecordedBar, "refresh", lambda self: signal_at(self))

    def signal_at(bar):
        if len(bar.seen) == 20:
            raise KeyboardInterrupt

    x = cuda.to_device(np.zeros(32))
    with pytest.raises(KeyboardInterrupt, match=r"interrupted; its lanes stood at 32 lane\(s\) at line"):
        count_up[1, 32](x, 10**6)
    assert bars[0].closed
    assert 0 < x[0] < 10**6
    assert (x.copy_to_host() == x[0]).all()


# as many rounds as the step budget allows: of more, the machine would foresee that they are too many
LONG_CELL = """
import numpy as np
from gpusim import cuda

@cuda.jit
def count_up(x, rounds):
    i = cuda.grid(1)
    for _ in range(rounds):
        x[i] += 1

x = np.zeros(64)
count_up[2, 32](x, 450_000)
"""


def test_the_stop_button_of_a_notebook_ends_a_launch():
    """The bar comes after two seconds; then the kernel is interrupted as Jupyter does it."""
    manager, client = start_new_kernel(cwd=str(ROOT), env={**os.environ, "TQDM_DISABLE": ""})
    try:
        outputs = []

        def take(message):
            outputs.append(message)
            if message["msg_type"] in ("display_data", "stream"):
                manager.interrupt_kernel()

        reply = client.execute_interactive(LONG_CELL, output_hook=take, timeout=60)
        assert reply["content"]["ename"] == "KeyboardInterrupt"
        assert "count_up was interrupted; its lanes stood at" in reply["content"]["evalue"]
        shown = [str(message["content"].get("data") or message["content"].get("text")) for message in outputs]
        assert any("count_up" in text for text in shown), "a bar with the kernel's name"
        after = client.execute_interactive("assert 0 < x[0] < 450_000", timeout=60)
        assert after["content"]["status"] == "ok"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_a_notebook_shows_no_bar_where_bars_are_switched_off():
    """tqdm's own bar for notebooks does not read TQDM_DISABLE."""
    manager, client = start_new_kernel(cwd=str(ROOT), env={**os.environ, "TQDM_DISABLE": "1"})
    try:
        outputs = []
        at_once = "from gpusim.runtime import progress\nprogress.PATIENCE_S = 0\n"
        cell = at_once + LONG_CELL.replace("450_000", "100")
        reply = client.execute_interactive(cell, output_hook=outputs.append, timeout=60)
        assert reply["content"]["status"] == "ok"
        shown = [message for message in outputs if message["msg_type"] in ("display_data", "stream")]
        assert shown == []
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
