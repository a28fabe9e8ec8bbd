"""A session of a live page: its modules lie beside the pages, not in a package."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.browser.conftest import wheels as wheels

LIVE = Path(__file__).resolve().parents[2] / "book" / "live"


@pytest.fixture
def session(monkeypatch):
    monkeypatch.syspath_prepend(LIVE)
    from session import Session

    yield Session()
    for name in ("session", "stand_ins", "needs", "statements"):
        sys.modules.pop(name, None)
