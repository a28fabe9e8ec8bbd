"""What the tests share: the built book, devices, and who runs when.

One process gives quick answers first. Of several (`-n 2`), one builds the book at once while
the others begin with what takes long; a group of tests, mostly a file, stays in one process.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

import gpusim
from gpusim.runtime import settings

# a cell of a notebook that takes long on a busy computer shows what it always shows
os.environ.setdefault("TQDM_DISABLE", "1")

ROOT = Path(__file__).resolve().parent.parent
# what grades a class asks for accounts, locks and limits, which Windows has in another way
collect_ignore = ["classroom", "hub"] if sys.platform == "win32" else []
OF_THE_BOOK = (
    "tests/test_book.py",
    "tests/test_links.py",
    "tests/browser/test_pages.py",
    # what these ask for, pages have computed: course/kept.py
    "tests/course/test_small_lab.py",
    "tests/hardware/test_block_sums.py",
    "tests/hardware/test_summary.py",
    "tests/hardware/test_timing.py",
)
LABS = sorted(path.name for path in (ROOT / "labs" / "instructor").iterdir())
LONG = (
    "book",
    "lab",
    "class",
    "tests/properties",
    "tests/hardware",
    "tests/frontends/cuda_cpp",
    "tests/hub/test_hub",
)

DEVICES, MODELS = ["H200", "MetaX C500"], ["stack", "independent"]

# The same few random examples in every run, with some of many like cases (tests/hunting.py); `all` takes all
# of these, as CI does once a week, and `--hypothesis-profile=hunt` tries a thousand new examples, too.
ALWAYS = {"deadline": None, "database": None, "suppress_health_check": list(hypothesis.HealthCheck)}
hypothesis.settings.register_profile("fixed", derandomize=True, max_examples=7, **ALWAYS)
hypothesis.settings.register_profile("all", derandomize=True, max_examples=20, **ALWAYS)
hypothesis.settings.register_profile("hunt", max_examples=1000, **ALWAYS)
hypothesis.settings.load_profile("fixed")


def group(nodeid: str) -> str:
    """Which tests stay together, because they share what is dear: the book, a class, a file's kernels?"""
    file, _, name = nodeid.partition("::")
    if file in OF_THE_BOOK:
        return "book"
    if file == "tests/labs/test_labs.py":
        given = name.partition("[")[2]
        labs = (lab for lab in LABS if given.startswith((f"{lab}-", f"{lab}]")) or given.endswith(f"-{lab}]"))
        return f"lab {'TestCourse' if 'TestCourse' in name else next(labs, '')}"
    return "class" if file.startswith("tests/classroom/") else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Of several processes, each takes a group at a time, in the order of collection."""
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group(nodeid)

    config.option.loadscopereorder = False
    return Groups(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    from tests.hunting import in_turn, some  # it asks for the profile, which is known by now

    if any(Path(place).name == "tests" for place in config.args):  # of all labs a part, but any that is named
        run = {f"labs/instructor/{lab}/{lab}.ipynb" for lab in some(LABS, 4)}
        items[:] = [
            item for item in items if not item.nodeid.startswith("labs/") or group(item.nodeid) in run
        ]
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(case_of(item), []).append(item)
    taken = {item for case, tried in cases.items() for item in in_turn(tried, case)}
    items[:] = [item for item in items if item in taken]
    several = hasattr(config, "workerinput")

    def place(item: pytest.Item) -> int:
        long = (rank for rank, start in enumerate(LONG) if group(item.nodeid).startswith(start))
        return next(long, len(LONG)) if several else group(item.nodeid) == "book"

    items.sort(key=place)


def case_of(item: pytest.Item) -> str:
    """What is tried on several machines: the test without its device and scheduling model."""
    given = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    device, model = given.get("device"), given.get("scheduling", given.get("model"))
    known = device in DEVICES and model in MODELS
    return item.nodeid.replace(device, "").replace(model, "") if known else item.nodeid


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Thirteen thousand tests are no garbage: nobody looks through them while they are found, nor later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True)
def reset_device() -> None:
    """Every test finds an H200, whatever a lab chose, and empty memory, though arrays may still be there."""
    gpusim.use.defaults()
    settings.current().grids.state.reset()


@pytest.fixture(scope="session")
def book_build() -> subprocess.CompletedProcess[str]:
    """How does `make book` end? The same command on the same `_build`: unchanged pages are not run again.

    Of several processes one builds, and the others get its pages: a second build would write styles anew
    while a browser reads them.
    """
    jupyter_book = shutil.which("jupyter-book", path=sysconfig.get_path("scripts"))
    assert jupyter_book, (
        "jupyter-book is not installed beside this Python; run `pip install -r requirements.txt`"
    )
    command = [jupyter_book, "build", str(ROOT), "-W", "-n", "--keep-going"]
    environment = {**os.environ, "PYTHONUTF8": "1"}
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    (ROOT / "_build").mkdir(exist_ok=True)
    from filelock import FileLock  # a browser's Python has none, and builds no book

    ended = ROOT / "_build" / "tests.ended"
    with FileLock(ROOT / "_build" / "tests.lock"):
        known = json.loads(ended.read_text(encoding="utf-8")) if ended.exists() else {}
        if known.get("run") != run:
            done = subprocess.run(
                command, cwd=ROOT, env=environment, text=True, encoding="utf-8", capture_output=True
            )
            known = {"run": run, "ended": [done.returncode, done.stdout, done.stderr]}
            ended.write_text(json.dumps(known), encoding="utf-8")
    return subprocess.CompletedProcess(command, *known["ended"])


@pytest.fixture(scope="session")
def book(book_build: subprocess.CompletedProcess[str]) -> Path:
    """Where are the built pages? `_build/html`."""
    if book_build.returncode:
        pytest.fail("the book does not build; tests/test_book.py shows why", pytrace=False)
    return ROOT / "_build" / "html"


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> str:
    """A device of each width: 32 lanes, and 64."""
    return request.param


@pytest.fixture(params=MODELS)
def scheduling(request: pytest.FixtureRequest) -> str:
    """Each scheduling model."""
    return request.param


@pytest.fixture
def machine(device: str, scheduling: str) -> Iterator[str]:
    """Launches run on a device of each width under each model; gives the device's name."""
    with gpusim.use(device, scheduling=scheduling):
        yield device
