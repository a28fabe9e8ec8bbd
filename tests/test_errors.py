"""How does a program catch what goes wrong? All of it as `gpusim.GpuSimError`, and some by Python's names."""

from __future__ import annotations

import contextlib
import copy
import gc
import inspect
import pickle

import numpy as np
import pytest

import gpusim
from gpusim import cuda, cudart, errors
from gpusim.machine.device_state import DeviceState
from gpusim.profile.run import Run


@cuda.jit
def fill(x):
    x[cuda.grid(1)] = 1


@cuda.jit
def ill_typed(x):
    x[0] = x + 1


@cuda.jit
def insists(x):
    assert x[0] > 5


@cuda.jit
def undefined(x):
    x[0] = lenght  # noqa: F821


@cuda.jit
def beyond(x):
    x[0] = (1, 2, 3)[3]


@cuda.jit
def without_steps(x):
    for i in range(0, 8, 0):
        x[i] = 1


@cuda.jit
def unsupported(x):
    x[0] = sorted(x)


@pytest.mark.parametrize(
    ("wrong", "ours", "pythons"),
    [
        (lambda x: fill[1, 9](x), errors.OutOfBounds, IndexError),
        (lambda x: ill_typed[1, 1](x), errors.KernelTypeError, TypeError),
        (lambda x: fill[1, 2000](x), errors.LaunchError, ValueError),
        (lambda x: insists[1, 1](x), errors.AssertionFailed, AssertionError),
        (lambda x: undefined[1, 1](x), errors.UndefinedName, NameError),
        (lambda x: beyond[1, 1](x), errors.KernelIndexError, IndexError),
        (lambda x: without_steps[1, 1](x), errors.KernelValueError, ValueError),
        (lambda x: unsupported[1, 1](x), errors.UnsupportedConstruct, NotImplementedError),
        (lambda x: gpusim.use("abacus"), errors.UnknownDevice, LookupError),
        (lambda x: Run(DeviceState()).secotrs, errors.NotCounted, AttributeError),
    ],
)
def test_errors_are_pythons_too(wrong, ours, pythons):
    for kind in (ours, pythons, gpusim.GpuSimError):
        with pytest.raises(kind) as caught:
            wrong(np.zeros(8))
        assert type(caught.value) is ours
        assert caught.value.message in str(caught.value)


def every(kind):
    """An error's class, and those derived from it."""
    return [kind, *(one for derived in kind.__subclasses__() for one in every(derived))]


@pytest.mark.parametrize(
    "kind", [one for one in every(gpusim.GpuSimError) if one.__module__ == "gpusim.errors"]
)
@pytest.mark.parametrize("twice", [pickle.loads, copy.copy, copy.deepcopy])
def test_errors_go_to_other_processes_as_they_are(kind, twice):
    names = {name for one in kind.__mro__ if "__init__" in vars(one) for name in keyword_only(one)}
    error = kind("far", hint="go back", **{name: (name, 3) for name in names})
    error.launched("launched by a kernel")
    error.noted = "by its catcher"
    again = twice(pickle.dumps(error) if twice is pickle.loads else error)
    assert (type(again), str(again), again.args) == (kind, str(error), error.args)
    assert again.__dict__ == error.__dict__
    assert names | {"message", "span", "hint", "launch_tree", "noted"} == again.__dict__.keys()


def keyword_only(kind):
    parameters = inspect.signature(kind.__init__).parameters.values()
    return [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]


def test_an_error_of_a_kernel_goes_with_its_place():
    with pytest.raises(errors.OutOfBounds) as caught:
        fill[1, 9](np.zeros(8))
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert (again.span, again.index, again.thread, again.array) == (caught.value.span, (8,), (8, 0, 0), "x")


@pytest.mark.parametrize("checked", [False, True])
def test_an_error_that_is_kept_does_not_keep_the_arrays_of_its_launch(checked):
    cuda.close()
    x = cuda.to_device(np.zeros(8))
    with gpusim.profile() as run:
        if checked:
            with gpusim.sanitize() as report:
                fill[1, 9](x)
            assert not report.clean
        else:
            with contextlib.suppress(errors.OutOfBounds):
                fill[1, 9](x)
    assert run.kernels[0].error is not None
    del x
    gc.collect()
    assert cuda.current_context().get_memory_info().free == cuda.current_context().get_memory_info().total


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gpusim.explore_carveouts(3), "a device is a name or a Device, not 3"),
        (lambda: gpusim.explore_carveouts(shared_bytes=-1), "shared_bytes are whole numbers from 0, not -1"),
        (lambda: gpusim.explore_carveouts(threads=0), "threads are whole numbers from 1, not 0"),
        (lambda: gpusim.explore_carveouts(percents="all"), "percents are from 0 to 100"),
        (lambda: cuda.event_elapsed_time(1, 2), r"the time between two cuda.event\(\) .* the first is 1"),
        (
            lambda: gpusim.explore_schedules(fill[1, 1], np.zeros(1), key=3),
            "key is a function of the arguments .*, not 3",
        ),
        (lambda: gpusim.sanitize(["racecheck"]), "the tools are racecheck, .* did you mean `racecheck`"),
        (lambda: cuda.to_device(np.zeros(1), to=3), "to is an array on the device, .*, not an int"),
        (lambda: gpusim.RawModule(code="").get_function(3), "by its name, such as .saxpy., not by 3"),
        (lambda: cuda.to_device(np.zeros(1)).copy_to_host([1]), r"such as np.empty\(…\), not a list"),
        (lambda: cuda.reduce(lambda a, b: a + b)([1, 2]), r"such as np.array\(…\), not a list"),
    ],
)
def test_wrong_arguments_are_told_what_is_right(call, message):
    with pytest.raises(gpusim.GpuSimError, match=message):
        call()


def test_what_a_run_does_not_have_is_close_to_what_it_does():
    @cuda.jit
    def kernel(x):
        x[0] = 1

    with gpusim.profile() as run:
        kernel[1, 1](np.zeros(1))
    with pytest.raises(errors.NotCounted, match="did you mean `launch_tree`"):
        _ = run.tree
    with pytest.raises(errors.NotCounted, match="did you mean `launch_tree`"):
        run.launchtree()


def test_what_a_report_or_module_does_not_have_is_answered_with_what_it_has():
    with gpusim.profile() as run:
        fill[1, 1](np.zeros(1))
    with gpusim.sanitize() as report:
        fill[1, 2](np.zeros(1))
    exploration = gpusim.explore_schedules(fill[1, 1], np.zeros(1), schedules=1)
    tree = run.launch_tree()
    for owner, name, answer in (
        (report, "errors", "it has as_dict, clean, findings, "),
        (report.findings[0], "line", "did you mean `lines`"),
        (exploration, "results", "outcomes"),
        (tree, "children", "grids"),
        (tree.grids[0], "instructions", "counters"),
        (run.timing(), "microseconds", "did you mean `seconds`"),
        (gpusim, "jit", "it is gpusim.cuda.jit"),
        (gpusim, "explore_schedule", "did you mean `explore_schedules`"),
        (cudart, "cudaDeviceSync", "did you mean `cudaDeviceSynchronize`"),
    ):
        with pytest.raises(AttributeError, match=f"has no '{name}'; .*{answer}"):
            getattr(owner, name)
        assert not hasattr(owner, "_ipython_display_")
    assert copy.deepcopy(tree) == tree


def test_a_figure_that_there_is_not_is_answered_with_those_there_are():
    with gpusim.profile() as run:
        fill[1, 1](np.zeros(1))
    for figures, name, answer in (
        (run.kernels[0].lines[0], "global_load_sector", "did you mean `global_load_sectors`"),
        (run.counters(), "loads", "there are instructions, "),
        (run.launch_tree().grids[0], "barrier", "did you mean `barriers`"),
        (gpusim.occupancy("H200", threads=64, registers_per_thread=32), "regs", "warps, blocks"),
        (gpusim.pack_parameters(["char c"], 1), "n", "there are c"),
        (gpusim.compare(run, run), "loads", "there are registers_per_thread, "),
    ):
        with pytest.raises(KeyError, match=f"there is no '{name}'; .*{answer}"):
            figures[name]
