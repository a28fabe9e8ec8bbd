"""What do the runs of "Cooperative groups" give? Its kernels are passed; here are those of its questions."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

import gpusim
from course.block_sums import SUMS
from course.records import recorded
from gpusim import cuda
from gpusim.errors import GpuSimError, LaunchError
from gpusim.views.table import Table, table

cg = cuda.cg
DEVICES = ("H200", "MetaX C500")
EIGHT = np.arange(1, 9, dtype=np.int32)


def zeros(size: int | tuple[int, int], dtype: Any = np.int32) -> Any:
    return np.zeros(size, dtype)


def launch(kernel: Any, threads: int, *arguments: Any, device: str = "H200") -> tuple[Any, ...]:
    """One block: the run, and the arrays behind the first as they are afterwards."""
    copies = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
    with gpusim.profile(device) as run:
        kernel[1, threads](*copies)
    return run, *(one for one in copies[1:] if isinstance(one, np.ndarray))


def ends(kernel: Any) -> str:
    """Does a block of 64 end on an H200, or do its threads wait for ever?"""
    with gpusim.use("H200"):
        try:
            kernel[1, 64](np.arange(64, dtype=np.int32), zeros(64))
        except gpusim.errors.Deadlock:
            return "a deadlock"
    return "it ends"


def for_everyone(first_four: Any) -> tuple[str, str]:
    """How does the call with the block end on an H200? And which sum has the C500?"""
    endings, sums = [], []
    for device in DEVICES:
        with gpusim.use(device):
            out = zeros(8)
            try:
                first_four[1, 8](EIGHT, out, False)
            except GpuSimError as error:
                endings.append(type(error).__name__)
            sums.append(int(out[0]) - 100)
            with gpusim.sanitize() as report:
                first_four[1, 8](EIGHT, out, True)
            if out[0] != EIGHT[:4].sum() + 100 or report.findings:
                raise AssertionError(report)
    if len(endings) != 1:
        raise AssertionError(endings)
    return endings[0], f"{sums[1]}"


def h200() -> dict[str, Any]:
    """What did a real H200 do with groups that were used wrongly?"""
    kernels = recorded("groups_misused", "kernels")
    block, early = kernels["block"], kernels["too_early"]
    if (kernels["large_ones"]["ended"], kernels["ragged"]["out"][8:]) != (0, [42] * 4):
        raise AssertionError("the page says that the first hung, and that the second added up 9 to 12")
    (values,) = {*early["out"]}
    return {
        "block_ended": f"{block['ended']} of {block['runs']} runs",
        "block_sum": block["out"][0] - 100,
        "block_said": f"“{block['synccheck']}”",
        "early_h200": values,
        "early_said": f"“{early['racecheck']}”",
    }


def places_in_tiles(threads: int) -> Any:
    """Rank in a tile of 32, its number, rank in a tile of 4 of that, its number: a row for each thread."""
    in_tiles[1, threads](out := zeros((threads, 4)))
    return out.tolist()


def masks_of_four(threads: int, device: str) -> Any:
    """The mask of each thread's tile of four, as lanes that match say it, without sign."""
    with gpusim.use(device):
        fours_alike[1, threads](out := np.zeros(threads, np.int64))
    return out.view(np.uint64).tolist()


def additions(run: Any) -> int:
    """How many threads execute the atomic of the kernel's last line?"""
    line = run.kernels[0].lines[-1]
    return int(run.atomics * line["thread_instructions"] / line["instructions"])


def hazards_of_one_buffer() -> list[str]:
    """Which hazards does racecheck find in a relay with one buffer and one barrier a round?"""
    with gpusim.sanitize("racecheck") as report:
        one_buffer[1, 64](np.arange(96, dtype=np.int32), zeros(96))
    return sorted({finding.hazard for finding in report.findings})


def room(kernel: Any, threads: int, device: str = "H200") -> tuple[int, str]:
    """How many blocks of a cooperative grid fit, and what is said of one more?"""
    with gpusim.use(device):
        most = kernel.compile("(float32[::1], float32[::1], float32[::1])").max_cooperative_grid_blocks(
            threads
        )
        x = np.ones((most + 1) * threads, np.float32)
        try:
            kernel[most + 1, threads](x, x, zeros(1, np.float32))
        except LaunchError as error:
            return most, str(error).splitlines()[0]
    raise AssertionError(most)


def validity() -> dict[str, bool]:
    """What does a grid's `is_valid()` say, in both languages, launched cooperatively and not?"""
    found = {}
    for name, python in (("valid", tell_cooperative), ("invalid", tell)):
        module = gpusim.RawModule(path=SUMS, enable_cooperative_groups=name == "valid")
        out, other = zeros(1), zeros(1)
        python[1, 32](out)
        module.get_function("tell")[1, 32](other)
        (found[name],) = {bool(out[0]), bool(other[0])}
    return found


def without_grid_sync() -> dict[str, int]:
    """Shares without the barrier of the grid: how many results in how many orders?"""
    x = np.array([1, 2, 3, 2], np.float32)
    found = gpusim.explore_schedules(unordered_shares[4, 1], x, zeros(4, np.float32), zeros(1, np.float32))
    return {"orders": found.schedules, "outcomes": len(found)}


def unwaited(too_early: Any) -> str:
    """What does racecheck say of a copy for which nobody waits, though the values are right?"""
    with gpusim.sanitize("racecheck") as report:
        too_early[1, 8](EIGHT, out := zeros(8))
    if out.tolist() != EIGHT[::-1].tolist():
        raise AssertionError(out)
    return str(report.findings[0].message)


@cuda.jit
def large_ones(x: Any, out: Any) -> None:
    tile = cg.tiled_partition(cg.this_thread_block(), 8)
    t = tile.thread_rank()
    if x[t] > 3:
        out[t] = cg.reduce(tile, x[t], cg.plus())
    tile.sync()


@cuda.jit
def ragged(x: Any, out: Any) -> None:
    tile = cg.tiled_partition(cg.this_thread_block(), 8)
    t = cuda.threadIdx.x
    out[t] = cg.reduce(tile, x[t], cg.plus())


@cuda.jit
def in_tiles(out: Any) -> None:
    t = cuda.threadIdx.x
    tile = cg.tiled_partition(cg.this_thread_block(), 32)
    four = cg.tiled_partition(tile, 4)
    out[t, 0], out[t, 1] = tile.thread_rank(), tile.meta_group_rank()
    out[t, 2], out[t, 3] = four.thread_rank(), four.meta_group_rank()


@cuda.jit
def fours_alike(out: Any) -> None:
    t = cuda.threadIdx.x
    out[t] = cuda.match_any_sync(-1, t // 4)


@cuda.jit
def of_three(x: Any, out: Any) -> None:
    tile = cg.tiled_partition(cg.this_thread_block(), 3)
    out[cuda.threadIdx.x] = tile.thread_rank()


@cuda.jit
def of_any(x: Any, out: Any) -> None:
    tile = cg.tiled_partition(cg.this_thread_block(), x[3])
    out[cuda.threadIdx.x] = tile.thread_rank()


@cuda.jit
def tell(out: Any) -> None:
    out[0] = cg.this_grid().is_valid()


@cuda.jit(cooperative=True)
def tell_cooperative(out: Any) -> None:
    out[0] = cg.this_grid().is_valid()


@cuda.jit
def too_early(x: Any, out: Any) -> None:
    s = cuda.shared.array(8, np.int32)
    block = cg.this_thread_block()
    t = block.thread_rank()
    cg.memcpy_async(block, s, x, 8)
    block.sync()
    out[t] = s[7 - t]


@cuda.jit
def one_tile(x: Any, out: Any) -> None:
    tile = cg.tiled_partition(cg.this_thread_block(), 16)
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = cg.reduce(tile, x[t], cg.plus())
    cuda.syncthreads()


@cuda.jit
def one_buffer(x: Any, out: Any) -> None:
    s = cuda.shared.array(32, np.int32)
    block = cg.this_thread_block()
    tile = cg.tiled_partition(block, 32)
    t = tile.thread_rank()
    for k in range(x.size // 32):
        if tile.meta_group_rank() == 0:
            s[t] = x[32 * k + t]
        block.sync()
        if tile.meta_group_rank() == 1:
            out[32 * k + t] = s[31 - t]


@cuda.jit
def unordered_shares(x: Any, part: Any, total: Any) -> None:
    i = cuda.grid(1)
    cuda.atomic.add(total, 0, x[i])
    part[i] = x[i] / cuda.atomic.add(total, 0, 0)


MISTAKES = (
    ("a collective that not all threads of the tile reach", large_ones, 8),
    ("a tile across the end of the block", ragged, 12),
    ("tiles of 3 threads", of_three, 12),
    ("the same, known when the kernel runs", of_any, 12),
    ("memory that `memcpy_async` has not brought", too_early, 8),
)


def mistakes() -> Table:
    """How does each misuse end under both widths, and what is said about it, first on an H200?"""
    rows = []
    for what, kernel, threads in MISTAKES:
        arrays, said = (np.arange(16, dtype=np.int32), zeros(16)), ""
        endings: list[str] = []
        for device in reversed(DEVICES):
            ending = "ends"
            try:
                with gpusim.use(device):
                    kernel[1, threads](*arrays)
            except GpuSimError as error:
                ending = type(error).__name__
                said = re.sub(r"^.*ValueError: | at line \d+ and line \d+", "", error.message)
            endings.insert(0, ending)
            if ending == "ends":
                with gpusim.sanitize("racecheck", "synccheck", device=device) as report:
                    kernel[1, threads](*arrays)
                said = f"{report.findings[0].tool}: {report.findings[0].message}"
        rows.append((what, *endings, said))
    return table(rows, ["mistake", *DEVICES, "what is said"])
