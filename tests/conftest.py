"""What the tests share: the built book, and an order that gives quick answers first."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

import gpusim
from gpusim.runtime import settings

# a cell of a notebook that takes long on a busy computer shows what it always shows
os.environ.setdefault("TQDM_DISABLE", "1")

ROOT = Path(__file__).resolve().parent.parent
# They build the book, and a live browser occupies the event loop that nbval needs.
LAST = ("tests/test_book.py", "tests/browser/")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.nodeid.startswith(LAST))


@pytest.fixture(autouse=True)
def reset_device() -> None:
    """Every test finds the memory of the device empty, though arrays of earlier ones may still be there."""
    settings.current().grids.state.reset()


@pytest.fixture(scope="session")
def book_build() -> subprocess.CompletedProcess[str]:
    """How does `make book` end? The same command on the same `_build`: unchanged pages are not run again."""
    jupyter_book = shutil.which("jupyter-book", path=sysconfig.get_path("scripts"))
    assert jupyter_book, (
        "jupyter-book is not installed beside this Python; run `pip install -r requirements.txt`"
    )
    command = [jupyter_book, "build", str(ROOT), "-W", "-n", "--keep-going"]
    environment = {**os.environ, "PYTHONUTF8": "1"}
    return subprocess.run(
        command, cwd=ROOT, env=environment, text=True, encoding="utf-8", capture_output=True
    )


@pytest.fixture(scope="session")
def book(book_build: subprocess.CompletedProcess[str]) -> Path:
    """Where are the built pages? `_build/html`."""
    if book_build.returncode:
        pytest.fail("the book does not build; tests/test_book.py shows why", pytrace=False)
    return ROOT / "_build" / "html"


@pytest.fixture(params=["H200", "MetaX C500"])
def device(request: pytest.FixtureRequest) -> str:
    """A device of each width: 32 lanes, and 64."""
    return request.param


@pytest.fixture(params=["stack", "independent"])
def scheduling(request: pytest.FixtureRequest) -> str:
    """Each scheduling model."""
    return request.param


@pytest.fixture
def machine(device: str, scheduling: str) -> Iterator[str]:
    """Launches run on a device of each width under each model; gives the device's name."""
    with gpusim.use(device, scheduling=scheduling):
        yield device
