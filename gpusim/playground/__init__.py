"""What if …? A kernel's text beside its controls, its pictures and its counters, in JupyterLab."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gpusim.errors import without_traceback

if TYPE_CHECKING:
    from gpusim.playground.window import Playground

__all__ = ["playground"]


@without_traceback
def playground(kernel: Any, /, **given: Any) -> Playground:
    """What if the block were larger, the stride odd, the GPU older? Change it, and watch the kernel again.

    kernel: one of Python or CUDA C++, or a text of either with a kernel in it; of several, the last is run.
    A text in Python knows `np`, `math`, `gpusim`, `cuda` and `cudart`, a kernel what its own module knows.

    grid, block: where to begin, a number or up to three, (4, 2). device, scheduling, schedule: as for
    `gpusim.use`, which says where to begin unless they are given. view: what is drawn first, such as
    "sector_view"; those are offered that have something to show.
    Other names are the kernel's parameters. A number: a=2.0 begins there, a=(0, 10) goes from 0 to 10,
    a=(0, 10, 2) in steps of 2. One with a fraction is a float, unless the kernel says which type it takes.
    Without a range it goes to twice the number, at least to 64. Not given, whole numbers called n, size,
    length or count begin with the number of threads, and all others with 1.
    An array: x="np.ones(2 * threads, np.float32)" is a rule, made anew for each run. It may name the
    kernel's other numbers, `threads` (all of the grid), `grid` and `block` (triples). x=array is copied for
    each run. Not given, arrays count from 0 and have one element per thread; of several axes each but the
    last has as many as the grid has threads along it. A parameter of another kind needs a rule.

    Gives a widget; its `outcome` is the last run: `outcome.run` as of `gpusim.profile`, `outcome.report` as
    of `gpusim.sanitize`, `outcome.error`, `outcome.arrays` as the kernel left them, `outcome.changed` as of
    `gpusim.compare` with the run before, or with the one that is kept. Where the kernel cannot run, the last
    picture stays, and the message stands below the text. A kernel without end is ended as anywhere, by the
    `step_budget` of `gpusim.use`.

    Raises `KernelTypeError` for what is no kernel and no text, and for a name that is no parameter of the
    kernel; `ModuleNotFoundError` where ipywidgets or anywidget is not installed.
    """
    try:
        window = import_module("gpusim.playground.window")
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            f"{missing.name} is not installed; a playground needs it: pip install 'gpusim[widgets]'. Without "
            "it, `with gpusim.profile() as run:` around a launch counts the same",
            name=missing.name,
        ) from missing
    made: Playground = window.Playground.of(kernel, given)
    return made
