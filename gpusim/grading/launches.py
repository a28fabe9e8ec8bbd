"""What did the reader's kernel do on this device, and is it within the gate? Errors become sentences.

run = launched(launch(scale, 4, 128), x, out, device="H200", where="H200, 512 floats")
same(out, 3 * x, "H200, 512 floats", run=run)
at_most(4, run.sectors_per_request, "sectors per request", "H200, 512 floats")
"""

from __future__ import annotations

import inspect
import math
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from gpusim.checkers.sanitize import sanitize
from gpusim.cuda.dispatcher import DeviceFunction, Kernel
from gpusim.errors import GpuSimError
from gpusim.grading.errands import arrays_of
from gpusim.grading.failing import CheckFailed, line_of, require
from gpusim.grading.frozen import from_arguments
from gpusim.grading.prints import marked
from gpusim.profile import Run, profile
from gpusim.runtime.device_moves import KERNELS as RUNTIMES
from gpusim.runtime.launching import Launchable, LaunchConfiguration
from gpusim.schedules.explore import explore_schedules


def launch(kernel: Any, *configuration: Any) -> LaunchConfiguration:
    """`kernel[grid, block]` of the reader's kernel; a forgotten `@cuda.jit`, or no kernel, is a sentence.

    It is compiled anew from its source, with the CONSTANTS that there are now.
    """
    name = getattr(kernel, "__name__", type(kernel).__name__)
    hint = "Is `@cuda.jit` missing above its `def`?" if inspect.isfunction(kernel) else ""
    require(
        type(kernel) is Kernel and inspect.isfunction(kernel.py_func),
        f"`{name}` is not a kernel of gpusim, so it cannot be launched. {hint}".rstrip(),
    )
    try:
        fresh = Kernel(kernel.py_func, kernel.options, kernel._declared)
        fresh.launch_attributes = kernel.launch_attributes
        made: LaunchConfiguration = fresh[configuration]
    except GpuSimError as error:
        raise CheckFailed(f"`{name}` cannot be launched: {error}") from None
    return made


def only_launch(host: Callable[..., Any], *arguments: Any, device: str, where: str) -> Callable[..., None]:
    """The one launch that the reader's host code makes of these arrays, to be called with others.

    What the host does beside the launch is left out; it gets copies, and launches them as they are.
    """
    seen: list[tuple[LaunchConfiguration, tuple[Any, ...]]] = []
    launching, own = Launchable._launch, copies(arguments)
    name = getattr(host, "__name__", "the function")

    def noted(kernel: Any, grid: Any, block: Any, stream: Any, size: int, given: tuple[Any, ...]) -> None:
        seen.append((launch(kernel, grid, block, stream, size), given))
        for one, before in zip(own, arguments, strict=True):
            kept = np.array_equal(one, before)
            require(
                kept, f"{where}: `{name}` changes its arrays before it launches. That is the kernel's work"
            )
        launching(kernel, grid, block, stream, size, given)

    with patch.object(Launchable, "_launch", noted):
        launched(host, *own, device=device, where=where)
    require(len(seen) == 1, f"{where}: `{name}` launches {len(seen)} kernels, and one is asked for")
    found, given = seen[0]
    number = {id(argument): position for position, argument in enumerate(own)}
    foreign = [one for one in given if id(one) not in number and np.ndim(one)]
    as_given = f"launch the kernel with the arrays that `{name}` is given, as they are"
    require(not foreign and number.keys() <= set(map(id, given)), f"{where}: {as_given}")

    def again(*others: Any) -> None:
        found(*(others[number[id(one)]] if id(one) in number else one for one in given))

    return again


def unchanged(kernel: Any, checksum: int) -> None:
    """Is this still the function of the locked cell? `checksum` is `zlib.crc32` of its source.

    In the text of a lab it is `...`: `labs/from_text.py` computes it.
    """
    real = type(kernel) in (Kernel, DeviceFunction)
    require(real, "a kernel of a locked cell is none any more; run that cell again")
    found = zlib.crc32(inspect.getsource(kernel.py_func).strip().encode())
    require(
        found == checksum, f"`{kernel.__name__}` is not the kernel of its locked cell; run that cell again"
    )


def ran_only(run: Run, own: str, *locked: Kernel, where: str) -> None:
    """Did the reader's kernel `own` lead to nothing but kernels of locked cells, and the runtime's copies?

    A kernel is known by its name and its lines: those of all `locked` kernels and device functions.
    """
    known = [*(one.py_func for one in locked), *RUNTIMES.values()]
    names = {one.__name__ for one in known}
    lines = {line.strip() for one in known for line in inspect.getsource(one).splitlines()}
    for grid in run.kernels:
        if grid.kernel == own and grid.launched_by is None:
            continue
        other = grid.kernel not in names or any(line["source"].strip() not in lines for line in grid.lines)
        require(not other, f"{where}: a kernel `{grid.kernel}` ran that no locked cell of this task has")


def launched(
    launch: Callable[..., Any], *arguments: Any, device: str, where: str, writes: int = 1, **how: Any
) -> Run:
    """Launch a kernel, or call host code that launches, and count. `how` is what `counted` takes.

    Its last array is written, or so many of the last as `writes` says. The others must stay as they are: what
    is right is computed from them, perhaps afterwards.
    """
    arrays = [np.asarray(each) for each in arrays_of(arguments)]  # seen so, nobody is told that they are read
    read = arrays[: max(len(arrays) - writes, 0)]
    before = [each.tobytes() for each in read]
    run = counted(launch, *arguments, device=device, where=where, **how)
    changed = [n for n, each in enumerate(read, 1) if each.tobytes() != before[n - 1]]
    name = getattr(getattr(launch, "kernel", launch), "__name__", "the function")
    told = " and ".join(map(str, changed))
    require(
        not changed, f"{where}: `{name}` writes into array {told} of its arguments, which it is only to read."
    )
    return run


def counted(
    launch: Callable[..., Any],
    *arguments: Any,
    device: str,
    where: str,
    tables: frozenset[str] = frozenset(),
    **how: Any,
) -> Run:
    """As `launched`, for arrays that nobody looks at any more. `how` is what `gpusim.profile` takes.

    Of global arrays a kernel may read those whose names are `tables`.
    """
    real = type(launch) is LaunchConfiguration and type(launch.kernel) is Kernel
    require(real or inspect.isfunction(launch), f"{where}: what is launched is not a kernel of gpusim")
    failed: BaseException | None = None
    with from_arguments(where, tables), marked(), profile(device, **how) as run:
        try:
            launch(*arguments)
        except BaseException as error:  # SystemExit as well, which a notebook would not show
            failed = error
    if isinstance(failed, CheckFailed):
        raise failed
    if isinstance(failed, GpuSimError):
        raise CheckFailed(f"{where}: the launch ends with {type(failed).__name__}.\n{failed}") from None
    if failed is not None:
        raise CheckFailed(
            f"{where}: the host code does not come to its end: {type(failed).__name__} {failed}",
            line_of(failed),
        ) from None
    require(run.kernels, f"{where}: nothing was launched. A kernel has to do the work.")
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


def steps(run: Run, warp: int = 0) -> list[tuple[str, str, int]]:
    """What did a warp execute, step by step? A list of (source line, mask, number of instructions)."""
    report = run.warp_report()
    lines = dict(enumerate(report.source.lines, report.source.first_line))
    return [
        (lines.get(frame.line, "the kernel's end"), frame.stack[-1].mask, len(frame.instructions))
        for frame in report.variants[0].frames
        if frame.warp == warp
    ]


def places(run: Run) -> dict[str, npt.NDArray[np.int64]]:
    """Which thread of a block stands where, on the run's device? Arrays indexed [z, y, x], by what they say.

    The linear number of each thread, its warp and its lane, as the block report of the run cuts its blocks.
    """
    (block,) = run.block_report().variants
    number = np.arange(math.prod(block.block), dtype=np.int64).reshape(block.block[::-1])
    first = np.repeat([warp.warp for warp in block.warps], [warp.threads for warp in block.warps])
    warp = first.reshape(number.shape)
    return {"linear number": number, "warp": warp, "lane": number - warp * block.lanes}


@contextmanager
def no_races(where: str) -> Iterator[None]:
    """Racecheck finds nothing in what is launched meanwhile: so the launch that is counted is the one."""
    with sanitize("racecheck") as report:
        yield
    for finding in report.findings:
        raise CheckFailed(
            f"{where}: racecheck finds a race ({finding.hazard}). {finding.message}",
            finding.accesses[-1].at.source.strip() if finding.accesses else "",
        )


def raceless(launch: Callable[..., Any], *arguments: Any, device: str, where: str, **how: Any) -> None:
    """Does racecheck find nothing? The arrays are copied first."""
    with no_races(where):
        counted(launch, *copies(arguments), device=device, where=where, **how)


def one_outcome(
    launch: Any, *arguments: Any, device: str, where: str, schedules: int | Iterable[str | int] = 16
) -> dict[str, Any]:
    """The arrays after the launch, by name, if they are the same under all schedules and no launch fails."""
    try:
        with from_arguments(where), marked():
            found = explore_schedules(
                launch, *arguments, device=device, scheduling="independent", schedules=schedules
            )
    except GpuSimError as error:
        raise CheckFailed(f"{where}: {type(error).__name__}.\n{error}") from None
    for outcome in found.outcomes:
        require(not outcome.error, f"{where}: the launch fails; replay it {outcome.replay}\n{outcome.error}")
    if not found.deterministic:
        told = next((each for each in found.outcomes[1:] if each.differences), found.outcomes[0])
        raise CheckFailed(
            f"{where}: {len(found)} different outcomes in {found.schedules} schedules. "
            f"`{told.replay}` replays one that differs: {told.describe()}."
        )
    return found.outcomes[0].arguments


def copies(arguments: Iterable[Any]) -> list[Any]:
    """The arguments, with copies of the arrays among them."""
    return [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}".removesuffix(".0")
