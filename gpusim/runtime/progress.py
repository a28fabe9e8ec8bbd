"""How far has a long launch come? A bar after two seconds, gone when the launch ends; with tqdm only.

Of a launch of more than a hundred million threads a warning says how long it will take.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

PATIENCE_S = 2.0
BETWEEN_UPDATES_S = 0.1
MANY_THREADS = 10**8


class Progress:
    """Counts the blocks of a launch that are done: `with Progress("saxpy", 4096, 128) as progress:`."""

    def __init__(self, kernel: str, blocks: int, threads_per_block: int) -> None:
        self._kernel, self._blocks, self._threads = kernel, blocks, blocks * threads_per_block
        self._bar: Any = None
        self._began_s = time.monotonic()
        self._next_s = self._began_s + PATIENCE_S
        self._to_be_told = self._threads > MANY_THREADS

    def __enter__(self) -> Progress:
        return self

    def __call__(self, blocks_done: Callable[[], int]) -> None:
        """Look at the clock; show the blocks that are done if it is time to."""
        now_s = time.monotonic()
        if now_s < self._next_s:
            return
        self._next_s = now_s + BETWEEN_UPDATES_S
        if self._bar is None:
            self._bar = _bar(self._kernel, self._blocks)
        done = blocks_done()
        self._bar.update(done - self._bar.n)
        self._bar.refresh()
        if self._to_be_told and done:
            self._to_be_told = False
            self._tell((now_s - self._began_s) * (self._blocks / done - 1))

    def _tell(self, left_s: float) -> None:
        left = f"{left_s:.0f} seconds" if left_s < 120 else f"{left_s / 60:.0f} minutes"
        what = f"{self._kernel}: {self._threads:,} threads, which take about {left} more here"
        warnings.warn(f"{what}. Fewer show the same; interrupt it to stop", stacklevel=2)

    def __exit__(self, *_exception: object) -> None:
        if self._bar is not None:
            self._bar.close()


class _NoBar:
    """Stands for the bar where tqdm is not installed."""

    n = 0

    def update(self, _more: int) -> None: ...
    def refresh(self) -> None: ...
    def close(self) -> None: ...


def _bar(kernel: str, blocks: int) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # in a notebook without ipywidgets it falls back to text
            from tqdm import auto
    except ImportError:
        return _NoBar()
    if sys.platform == "emscripten":
        auto.tqdm.monitor_interval = 0  # a browser's Python starts no thread to watch the bar
    # a notebook draws the bar; elsewhere it belongs on a terminal (None), not into a log
    off = bool(os.environ.get("TQDM_DISABLE")) or (False if "ipykernel" in sys.modules else None)
    bar = auto.tqdm(total=blocks, desc=kernel, unit=" blocks", leave=False, smoothing=0, disable=off)
    if not bar.disable:
        bar.start_t -= PATIENCE_S
    return bar
