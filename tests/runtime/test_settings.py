"""On which device, in which order does the next launch run?"""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest

import gpusim
from gpusim import cuda, devices
from gpusim.errors import LaunchError, UnknownDevice
from gpusim.runtime import settings


@cuda.jit
def width(out):
    out[0] = cuda.warpsize


@cuda.jit
def racy(out):
    out[0] = cuda.blockIdx.x


@pytest.fixture(autouse=True)
def as_before():
    """`use` as a statement lasts; not beyond a test."""
    with settings.during(settings.current()):
        yield


def lanes():
    out = np.zeros(1, np.int64)
    width[1, 1](out)
    return out[0]


def test_an_h200_unless_something_else_is_chosen():
    assert settings.current().device is devices.get("H200")
    assert lanes() == 32


def test_as_a_statement_it_lasts():
    gpusim.use("MetaX C500")
    assert lanes() == 64
    gpusim.use(schedule=3)
    assert (settings.current().device.name, settings.current().schedule) == ("MetaX C500", 3)


def test_as_a_block_it_ends():
    with gpusim.use("MetaX C500"):
        assert lanes() == 64
        with gpusim.use(devices.get("P100"), schedule="serial"):
            assert lanes() == 32
        assert (lanes(), settings.current().schedule) == (64, None)
    assert lanes() == 32


def test_one_choice_opens_any_number_of_blocks():
    wide = gpusim.use("MetaX C500")
    with wide:
        assert lanes() == 64
    assert lanes() == 32
    with gpusim.use("P100", schedule=3):
        with wide, wide:
            assert (lanes(), settings.current().schedule) == (64, 3)
        assert settings.current().device.name == "P100"
    assert lanes() == 32


def test_it_ends_with_an_error_too():
    with pytest.raises(ZeroDivisionError), gpusim.use("MetaX C500"):
        1 / 0  # noqa: B018
    assert lanes() == 32


def test_friendly_is_the_order_of_no_schedule():
    with gpusim.use(schedule=7), gpusim.use(schedule="friendly"):
        assert settings.current().schedule is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"schedule": "fast"}, "schedule is 'friendly', 'serial' or a whole number"),
        ({"schedule": 1.5}, "schedule is 'friendly', 'serial' or a whole number"),
        ({"schedule": True}, "schedule is 'friendly', 'serial' or a whole number"),
        ({"schedule": -1}, "a whole number from 0 .a seed., not -1"),
        ({"scheduling": "volta"}, "scheduling is 'stack' or 'independent', not 'volta'"),
        ({"step_budget": 0}, "step_budget is a positive number of steps, not 0"),
        ({"step_budget": "long"}, "step_budget is a positive number of steps, not 'long'"),
        ({"cdp": 3}, "cdp is 1 or 2, the device runtime's version, not 3"),
        ({"scheduling": "stak"}, "did you mean `stack`?"),
    ],
)
@pytest.mark.parametrize("how", [gpusim.use, gpusim.profile, gpusim.sanitize])
def test_settings_that_mean_nothing_are_refused(how, given, message):
    with pytest.raises(LaunchError, match=message):
        how(**given)
    assert settings.current().schedule is None


def test_use_goes_back_to_the_defaults_and_says_what_is_set():
    chosen = gpusim.use("P100", schedule=3, step_budget=7)
    assert repr(chosen) == "<from here on: device='P100', scheduling='stack', schedule=3, step_budget=7>"
    assert "device='H200', scheduling='independent', schedule='friendly'" in repr(gpusim.use.defaults())
    assert settings.current().schedule is None


def test_a_device_that_is_none_and_missing_parentheses_are_told():
    with pytest.raises(UnknownDevice, match="a device is a name or a Device, not 3; the catalogue has"):
        gpusim.use(device=3)
    with pytest.raises(LaunchError, match="it is no decorator"):

        @gpusim.profile
        def function(): ...

    for kind in (gpusim.use, gpusim.profile, gpusim.sanitize):
        with pytest.raises(LaunchError, match=f"write `with gpusim.{kind.__name__}"), kind:
            pass
    assert gpusim.explore_carveouts("H200").variants[0].label == "H200"


def test_a_traceback_has_the_users_lines_and_one_of_the_simulator():
    with pytest.raises(LaunchError) as caught:
        width[1, 5000](np.zeros(1))
    files = [entry.path.name for entry in caught.traceback]
    assert files == ["test_settings.py", "errors.py"]


def test_an_unknown_device_is_refused_with_the_catalogue():
    with pytest.raises(UnknownDevice, match="no device is called"):
        gpusim.use("H2000X")


def test_a_seed_gives_the_same_order_each_time_and_another_seed_another():
    def last(seed):
        out = np.zeros(1, np.int64)
        with gpusim.use(schedule=seed):
            racy[40, 32](out)
        return out[0]

    results = [last(seed) for seed in range(12)]
    assert results == [last(seed) for seed in range(12)]
    assert len(set(results)) > 3


def test_each_thread_of_the_host_has_its_own_settings():
    gpusim.use("MetaX C500")
    found = []
    thread = threading.Thread(target=lambda: found.append(lanes()))
    thread.start()
    thread.join()
    assert (found, lanes()) == ([32], 64)


def test_the_model_is_the_devices_own_unless_told_otherwise():
    for name in devices.names():
        with gpusim.profile(name) as run:
            width[1, 1](np.zeros(1, np.int64))
        assert run.kernels[0].scheduling == devices.get(name).scheduling
    with gpusim.profile("V100", scheduling="stack") as run:
        width[1, 1](np.zeros(1, np.int64))
    assert run.kernels[0].scheduling == "stack"


@pytest.mark.parametrize("budget", [1.5, "x", True, 0])
def test_a_budget_is_a_whole_number_of_steps(budget):
    with pytest.raises(LaunchError, match="step_budget is a positive number of steps, not "):
        gpusim.use(step_budget=budget)


def test_seeds_and_budgets_of_numpy():
    gpusim.use(schedule=np.int64(3), step_budget=np.int64(1000))
    assert (settings.current().schedule, settings.current().step_budget) == (3, 1000)


def test_threads_that_begin_together_find_one_gpu():
    """In a Python of its own, where nothing was used before."""
    text = (
        "import sys, threading; sys.setswitchinterval(1e-6)\n"
        "import gpusim; from gpusim.runtime import settings\n"
        "together, found = threading.Barrier(8), []\n"
        "def look(): together.wait(); found.append(settings.current().grids)\n"
        "threads = [threading.Thread(target=look) for _ in range(8)]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n"
        "assert len(set(map(id, found))) == 1\n"
    )
    subprocess.run([sys.executable, "-c", text], check=True)
