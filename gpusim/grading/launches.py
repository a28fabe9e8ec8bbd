"""What did the reader's kernel do on this device, and is it within the gate? Errors become sentences.

run = launched(scale[4, 128], x, out, device="H200", where="H200, 512 floats")
same(out, 3 * x, "H200, 512 floats", run=run)
at_most(4, run.sectors_per_request, "sectors per request", "H200, 512 floats")
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.checkers.sanitize import sanitize
from gpusim.errors import GpuSimError
from gpusim.grading.failing import CheckFailed, line_of, require
from gpusim.profile import Run, profile
from gpusim.schedules.explore import explore_schedules


def launched(launch: Callable[..., Any], *arguments: Any, device: str, where: str, **how: Any) -> Run:
    """Launch a kernel, or call host code that launches, and count. `how` is what `gpusim.profile` takes."""
    try:
        with profile(device, **how) as run:
            launch(*arguments)
    except CheckFailed:
        raise
    except GpuSimError as error:
        raise CheckFailed(f"{where}: the launch ends with {type(error).__name__}.\n{error}") from None
    except Exception as error:
        raise CheckFailed(f"{where}: {type(error).__name__}: {error}", line_of(error)) from None
    require(run.kernels, f"{where}: nothing was launched")
    return run


def same(
    found: Any, expected: Any, where: str, *, run: Run | None = None, rtol: float = 0.0, hint: str = ""
) -> None:
    """Is every element what it should be? Otherwise names the first that is not."""
    found, expected = np.asarray(found), np.asarray(expected)
    require(found.shape == expected.shape, f"{where}: the shape is {found.shape}, not {expected.shape}")
    wrong = np.argwhere(~(np.isclose(found, expected, rtol=rtol) if rtol else found == expected))
    if len(wrong):
        first = tuple(int(index) for index in wrong[0])
        verb = "is" if len(wrong) == 1 else "are"
        raise CheckFailed(
            f"{where}: element {', '.join(map(str, first))} is {found[first]}, not {expected[first]}; "
            f"{len(wrong)} of {found.size} elements {verb} wrong. {hint}".rstrip(),
            line_with_most(run, "global_store_sectors") if run else "",
        )


def at_most(gate: float, value: float, what: str, where: str, hint: str = "", line: str = "") -> float:
    """The value, if it is within the gate."""
    short = f"{where}: {_number(value)} {what}, and the gate is {_number(gate)}. {hint}".rstrip()
    require(value <= gate, short, line)
    return value


def at_least(gate: float, value: float, what: str, where: str, hint: str = "", line: str = "") -> float:
    """The value, if it reaches the gate."""
    short = f"{where}: {_number(value)} {what}, and at least {_number(gate)} are needed. {hint}".rstrip()
    require(value >= gate, short, line)
    return value


def line_with_most(run: Run, counter: str, per: str = "") -> str:
    """Which source line has most of this counter, or of its ratio to another? "" where none has any."""
    lines = [line for kernel in run.kernels for line in kernel.lines if line[counter]]
    worst = max(lines, key=lambda line: line[counter] / (line[per] if per else 1), default={"source": ""})
    return str(worst["source"])


def places(run: Run) -> dict[str, npt.NDArray[np.int64]]:
    """Which thread of a block stands where, on the run's device? Arrays indexed [z, y, x], by what they say.

    The linear number of each thread, its warp and its lane, as the block report of the run cuts its blocks.
    """
    (block,) = run.block_report().variants
    number = np.arange(math.prod(block.block)).reshape(block.block[::-1])
    first = np.repeat([warp.warp for warp in block.warps], [warp.threads for warp in block.warps])
    warp = first.reshape(number.shape)
    return {"linear number": number, "warp": warp, "lane": number - warp * block.lanes}


def raceless(launch: Callable[..., Any], *arguments: Any, device: str, where: str, **how: Any) -> None:
    """Does racecheck find nothing? The arrays are copied first."""
    with sanitize("racecheck", device=device, **how) as report:
        launched(launch, *_copies(arguments), device=device, where=where, **how)
    for finding in report.findings:
        raise CheckFailed(
            f"{where}: racecheck finds a race ({finding.hazard}). {finding.message}",
            finding.accesses[-1].at.source.strip() if finding.accesses else "",
        )


def one_outcome(
    launch: Any, *arguments: Any, device: str, where: str, schedules: int | Iterable[str | int] = 16
) -> dict[str, Any]:
    """The arrays after the launch, by name, if they are the same under all schedules and no launch fails."""
    found = explore_schedules(
        launch, *arguments, device=device, scheduling="independent", schedules=schedules
    )
    for outcome in found.outcomes:
        require(not outcome.error, f"{where}: the launch fails; replay it {outcome.replay}\n{outcome.error}")
    if not found.deterministic:
        told = found.outcomes[1].describe() if found.outcomes[1].differences else found.outcomes[0].describe()
        raise CheckFailed(
            f"{where}: {len(found)} different outcomes in {found.schedules} schedules. Replay one "
            f"that differs {found.outcomes[1].replay} There {told}"
        )
    return found.outcomes[0].arguments


def _copies(arguments: Iterable[Any]) -> list[Any]:
    return [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}".removesuffix(".0")
