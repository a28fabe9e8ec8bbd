"""A session of a live page: its modules lie beside the pages, not in a package."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import wheels as wheels

LIVE = Path(__file__).resolve().parents[2] / "book" / "live"
# what importing `build.py` brings along
BUILD = [
    "build",
    "elsewhere",
    "lasting",
    "lite",
    "needs",
    "own",
    "policy",
    "ran",
    "session",
    "stand_ins",
    "statements",
    "wheels",
    "_ext",
]


def forget() -> None:
    """The next test imports them anew."""
    for name in [each for each in sys.modules if each.partition(".")[0] in BUILD]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def build() -> Iterator[Any]:
    """`book/live/build.py`, which no package holds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(LIVE)
        yield import_module("build")
    forget()


@pytest.fixture
def session(monkeypatch):
    monkeypatch.syspath_prepend(LIVE)
    from session import Session

    yield Session()
    forget()
