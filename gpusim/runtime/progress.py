"""How far has a long launch come? A bar after two seconds, gone when the launch ends; with tqdm only."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

PATIENCE_S = 2.0
BETWEEN_UPDATES_S = 0.1


class Progress:
    """Counts the blocks of a launch that are done: `with Progress("saxpy", 4096) as progress:`."""

    def __init__(self, kernel: str, blocks: int) -> None:
        self._kernel, self._blocks = kernel, blocks
        self._bar: Any = None
        self._next_s = time.monotonic() + PATIENCE_S

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
        self._bar.update(blocks_done() - self._bar.n)
        self._bar.refresh()

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
