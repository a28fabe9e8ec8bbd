"""What do the runs of "Parent and child grids" give? Its kernels are passed; here are its questions' own."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from typing import Any

import numpy as np

import gpusim
from course.grid_times import RECORDS
from course.records import recorded
from gpusim import cuda, cudart
from gpusim.errors import GpuSimError, Livelock, StreamMisused, UnsupportedConstruct
from gpusim.ir.device_errors import DeviceError

TRIED = ("friendly", "serial", *range(22))
TAIL, FORGET = cudart.cudaStreamTailLaunch, cudart.cudaStreamFireAndForget
MOST_SHARED = cudart.cudaFuncAttribute.cudaFuncAttributeMaxDynamicSharedMemorySize


def zeros(size: int | tuple[int, int]) -> Any:
    return np.zeros(size, np.int32)


def launch(kernel: Any, blocks: int, threads: int, *arguments: Any, device: str = "H200") -> tuple[Any, ...]:
    """The run, and the arrays as they are afterwards."""
    copies = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
    with gpusim.profile(device) as run:
        kernel[blocks, threads](*copies)
    return run, *(one for one in copies if isinstance(one, np.ndarray))


def orders(launch: Any, *arguments: Any, key: Callable[..., Any], tried: int = len(TRIED)) -> list[Any]:
    """What comes out, in all orders that are tried: each result once, sorted."""
    found = set()
    for schedule in TRIED[:tried]:
        copies = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
        with gpusim.use("H200", schedule=schedule):
            launch(*copies)
        found.add(key(*copies))
    return sorted(found)


def noted(log: Any, *_others: Any) -> tuple[int, ...]:
    """The notes in their order."""
    return tuple(log[1 : 1 + log[0]].tolist())


# the first screen -------------------------------------------------------------------------------------------


@cuda.jit
def half(x, value):  # type: ignore[no-untyped-def]
    x[cuda.threadIdx.x] = value


@cuda.jit
def worker(x, task):  # type: ignore[no-untyped-def]
    x[cuda.threadIdx.x] += task
    if task == 3 and cuda.threadIdx.x == 0:
        half[1, 16](x[:16], 30)
        half[1, 16](x[16:], 31)


@cuda.jit
def report(x, total):  # type: ignore[no-untyped-def]
    cuda.atomic.add(total, 0, x[cuda.threadIdx.x])


@cuda.jit
def manager(x, total):  # type: ignore[no-untyped-def]
    t = cuda.threadIdx.x
    _, stream = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
    worker[1, 32, stream](x[t], t)
    if t == 0:
        report[1, 32, TAIL](x[3], total)


def first_tree() -> Any:
    """A block of four threads: each has a worker, one worker has helpers, and a report comes last."""
    total = zeros(1)
    run = launch(manager, 1, 4, zeros((4, 32)), total)[0]
    return gpusim.views.launch_tree(run)


# order ------------------------------------------------------------------------------------------------------


def family_then_note(family: Any, note: Any) -> tuple[int, int]:
    """How many grids has a family, and at which place is the note of the host behind it, in all orders?"""
    found = set()
    for schedule in TRIED:
        log = cuda.to_device(zeros(40))
        with gpusim.use("H200", schedule=schedule):
            family[1, 1](log, 0)
            note[1, 1](log, 99)
        notes = noted(log.copy_to_host())
        found.add((len(notes) - 1, notes.index(99) + 1))
    (one,) = found
    return one


def most_guests(invite: Any, named: bool, blocks: int = 4, threads: int = 8) -> int:
    """How many were in the room at once, at most, in the orders that are tried?"""
    found = orders(invite[blocks, threads], zeros(2), named, key=lambda room, _named: int(room[1]), tried=8)
    return int(max(found))


def two_rooms(invite: Any) -> Any:
    """Three guests of one block: in its default stream beside named ones."""
    runs = [launch(invite, 1, 3, zeros(2), named)[0] for named in (False, True)]
    return gpusim.views.launch_tree(*runs, labels=["default stream", "named streams"])


@cuda.jit
def borrows(room, stream):  # type: ignore[no-untyped-def]
    half[1, 1, stream](room, 1)


@cuda.jit
def lends(room):  # type: ignore[no-untyped-def]
    _, stream = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
    borrows[1, 1](room, stream)


def streams_refused() -> dict[str, str]:
    """What is said to who uses its parent's stream, and what to an event that would measure time?"""
    try:
        with gpusim.use("H200"):
            lends[1, 1](zeros(1))
    except StreamMisused as error:
        return {
            "foreign": error.message,
            "timed": RECORDS["event calls"]["create_default_flags"],
            "tried": f"{len(TRIED)}",
        }
    raise AssertionError("a stream of another grid was used")


def talks(talk: Any) -> tuple[str, str]:
    """How do the talks end in one stream and in two, in some orders?"""
    found = []
    for two_streams in (False, True):
        endings = set()
        for schedule in TRIED[:8]:
            with gpusim.use("H200", schedule=schedule, step_budget=2_000):
                try:
                    talk[1, 1](zeros(1), two_streams)
                    endings.add("ends")
                except GpuSimError as error:
                    endings.add(type(error).__name__)
        found.append(" or ".join(sorted(endings)))
    return found[0], found[1]


def talked(talk: Any) -> dict[str, str]:
    """What does the simulator say of the talk in one stream?"""
    try:
        with gpusim.use("H200", step_budget=2_000):
            talk[1, 1](zeros(1), False)
    except Livelock as error:
        return {"never": error.message.partition(": ")[0]}
    raise AssertionError("the talk in one stream ends")


# after the children -----------------------------------------------------------------------------------------


@cuda.jit
def marks(out):  # type: ignore[no-untyped-def]
    _, event = cudart.cudaEventCreateWithFlags(cudart.cudaEventDisableTiming)
    (out[0],) = cudart.cudaEventRecord(event, TAIL)
    (out[1],) = cudart.cudaEventRecord(event, FORGET)
    (out[2],) = cudart.cudaStreamWaitEvent(TAIL, event)
    (out[3],) = cudart.cudaStreamWaitEvent(FORGET, event)


def _marked() -> str:
    """What do events answer on the streams that nobody creates?"""
    (one,) = set(launch(marks, 1, 1, zeros(4))[1].tolist())
    return DeviceError(one).name


def _printed(kernel: Any, cdp: int) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out, gpusim.use("H200", cdp=cdp):
        kernel[1, 1]()
    return ", ".join(out.getvalue().split())


def waiting(greet_and_wait: Any) -> dict[str, Any]:
    """What does the wait print under CDP1, and how deep do launches nest?"""
    return {
        "waited": _printed(greet_and_wait, cdp=1),
        "marked": _marked(),
        "levels_1": _deepest(cdp=1, asked=30),
        "trapped": RECORDS["child that traps"]["sync"],
        "levels_2": f"{max(row['deepest_grid_that_ran'] for row in _depths()):,}",
    }


def _depths() -> list[dict[str, Any]]:
    return [one for one in recorded("dynamic_parallelism")["tests"] if one["test"] == "depth"]


@cuda.jit
def deeper(found, depth, asked):  # type: ignore[no-untyped-def]
    found[0] = depth
    if depth < asked:
        deeper[1, 1](found, depth + 1, asked)
        cudart.cudaGetLastError()


def _deepest(cdp: int, asked: int) -> int:
    found = zeros(1)
    with gpusim.use("H200", cdp=cdp):
        deeper[1, 1](found, 0, asked)
    return int(found[0])


def two_trees(greet_and_wait: Any, greet: Any) -> Any:
    """The wait of CDP1, on a GPU that has it, beside the tail launch of CDP2."""
    runs = []
    for device, kernel in (("A100", greet_and_wait), ("H200", greet)):
        with contextlib.redirect_stdout(io.StringIO()), gpusim.use(device), gpusim.profile() as run:
            kernel[1, 1]()
        runs.append(run)
    return gpusim.views.launch_tree(*runs, labels=["CDP1", "CDP2"])


def ends_on_h200(kernel: Any) -> str:
    """What does an H200 do with a kernel that prints and waits for its child?"""
    try:
        return f"it prints {_printed(kernel, cdp=2)}"
    except UnsupportedConstruct:
        return "it is refused"


# what is inherited ------------------------------------------------------------------------------------------


def allowed(needs_room: Any, roomy: Any) -> tuple[str, str]:
    """How does a launch with much shared memory end before the host has allowed it, and after?"""
    names = []
    for size in (None, 60_000):
        if size is not None:
            cudart.cudaFuncSetAttribute(roomy, MOST_SHARED, size)
        out, error = zeros(32), zeros(1)
        with gpusim.use("H200"):
            needs_room[1, 1](out, error)
        names.append(DeviceError(int(error[0])).name)
        if (names[-1] == "cudaSuccess") != (out.tolist() == list(range(31, -1, -1))):
            raise AssertionError(out)
    return names[0], names[1]


@cuda.jit
def asks(out):  # type: ignore[no-untyped-def]
    _, out[0] = cudart.cudaGetDevice()
    _, out[1] = cudart.cudaDeviceGetAttribute(cudart.cudaDeviceAttr.cudaDevAttrMultiProcessorCount, 0)  # type: ignore[attr-defined]


def of_the_device() -> dict[str, int]:
    """What does a kernel hear of its device?"""
    out = launch(asks, 1, 1, zeros(2))[1].tolist()
    return {"device_number": out[0], "processors": out[1]}


# what the reader can do now ---------------------------------------------------------------------------------


@cuda.jit
def notes(log, tag):  # type: ignore[no-untyped-def]
    log[1 + cuda.atomic.add(log, 0, 1)] = tag


@cuda.jit
def child(log):  # type: ignore[no-untyped-def]
    notes[1, 1](log, 2)
    for _ in range(4):
        cuda.atomic.add(log, 5, 1)
    log[1 + cuda.atomic.add(log, 0, 1)] = 1


@cuda.jit
def grandparent(log):  # type: ignore[no-untyped-def]
    child[1, 1](log)
    notes[1, 1, TAIL](log, 3)


def after_grandchild() -> list[Any]:
    """In which orders do child, grandchild and tail note?"""
    return orders(grandparent[1, 1], zeros(6), key=noted)


REPLACEMENTS = (
    "the three as grids, in the default stream",
    "the three as grids, with fire and forget",
    "a and b as grids; the thread prints",
)


@cuda.jit
def replaced(log, how):  # type: ignore[no-untyped-def]
    if how == 1:
        for tag in range(1, 4):
            notes[1, 1, FORGET](log, tag)
    else:
        notes[1, 1](log, 1)
        notes[1, 1](log, 2)
        if how == 2:
            log[1 + cuda.atomic.add(log, 0, 1)] = 3
        else:
            notes[1, 1](log, 3)


def right_replacement() -> str:
    """Which of them notes 1, 2, 3 in all orders that are tried?"""
    (right,) = (
        name
        for how, name in enumerate(REPLACEMENTS)
        if orders(replaced[1, 1], zeros(6), how, key=noted) == [(1, 2, 3)]
    )
    return right
