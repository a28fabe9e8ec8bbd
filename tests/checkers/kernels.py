"""Classic kernels, each right and wrong. `# <1>` and `# <2>` mark the lines that a finding must name.

Every kernel is a function of `(wrong)`, so that both versions differ in nothing but the fault: `wrong` is a
constant of the kernel. L is the warp size of the device.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpusim import cuda

BOTH = ("stack", "independent")


@dataclass
class Classic:
    """A kernel, and what must be found in its wrong version; `models`: where wrong is wrong.

    `arguments(lanes)` gives grid, block and arrays; `result(lanes, *arrays)` checks them.
    """

    make: Callable[[bool, int], Any]
    arguments: Callable[[int], tuple[Any, Any, tuple[Any, ...]]]
    tool: str = "racecheck"
    hazards: tuple[str, ...] = ("RAW", "WAR")
    models: tuple[str, ...] = BOTH
    result: Callable[..., bool] = field(default=lambda *_: True)
    slow: bool = False

    def lines(self) -> set[int]:
        """Numbers of the marked lines."""
        text, first = inspect.getsourcelines(self.make)
        return {first + row for row, line in enumerate(text) for mark in ("<1>", "<2>") if mark in line}


def block_reduction(wrong, lanes):
    @cuda.jit
    def kernel(x, y):
        s = cuda.shared.array(128, np.int64)
        t = cuda.threadIdx.x
        s[t] = x[cuda.grid(1)]  # <1>
        if not wrong:
            cuda.syncthreads()
        d = cuda.blockDim.x // 2
        while d > 0:
            if t < d:
                s[t] += s[t + d]  # <2>
            cuda.syncthreads()
            d //= 2
        if t == 0:
            y[cuda.blockIdx.x] = s[0]

    return kernel


def tiled_product(wrong, lanes):
    """The barrier at the end of the tile loop keeps a fast warp from overwriting what a slow one reads."""
    tile = 16

    @cuda.jit
    def kernel(a, b, c):
        s = cuda.shared.array((tile, tile), np.float32)
        t = cuda.shared.array((tile, tile), np.float32)
        column, row = cuda.grid(2)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        total = np.float32(0)
        for first in range(0, a.shape[1], tile):
            s[y, x] = a[row, first + x]
            t[y, x] = b[first + y, column]  # <1>
            cuda.syncthreads()
            for k in range(tile):
                total += s[y, k] * t[k, x]  # <2>
            if not wrong:
                cuda.syncthreads()
        c[row, column] = total

    return kernel


def warp_sum(wrong, lanes):
    """Warp-synchronous code: right before Volta, wrong since."""

    @cuda.jit
    def kernel(x, y):
        s = cuda.shared.array(lanes, np.int64)
        t = cuda.threadIdx.x
        s[t] = x[t]  # <1>
        if not wrong:
            cuda.syncwarp()
        y[t] = s[(t + 1) % lanes]  # <2>

    return kernel


def shuffle_as_barrier(wrong, lanes):
    """A shuffle makes lanes meet, but orders no memory."""
    full = (1 << lanes) - 1

    @cuda.jit
    def kernel(x, y):
        s = cuda.shared.array(lanes, np.int64)
        t = cuda.threadIdx.x
        s[t] = x[t]  # <1>
        partner = cuda.shfl_xor_sync(full, t, 1)
        if not wrong:
            cuda.syncwarp()
        y[t] = s[partner]  # <2>

    return kernel


def half_warp_mask(wrong, lanes):
    """Each half meets itself; the value comes from the other half in the wrong version."""
    half = lanes // 2
    low = (1 << half) - 1
    distance = half if wrong else 1

    @cuda.jit
    def kernel(x, y):
        s = cuda.shared.array(lanes, np.int64)
        t = cuda.threadIdx.x
        s[t] = x[t]  # <1>
        if t < half:
            cuda.syncwarp(low)
        else:
            cuda.syncwarp(low << half)
        y[t] = s[t ^ distance]  # <2>

    return kernel


def transposition(wrong, lanes):
    @cuda.jit
    def kernel(x, y):
        s = cuda.shared.array((16, 17), np.int64)
        i, j = cuda.threadIdx.x, cuda.threadIdx.y
        s[j, i] = x[j, i]  # <1>
        if not wrong:
            cuda.syncthreads()
        y[j, i] = s[i, j]  # <2>

    return kernel


def barrier_in_branch(wrong, lanes):
    """Half of each warp goes around the barrier."""

    @cuda.jit
    def kernel(y):
        t = cuda.threadIdx.x
        if not wrong or t % lanes < lanes // 2:
            cuda.syncthreads()  # <1>
        y[t] += 1

    return kernel


def barrier_in_both_branches(wrong, lanes):
    """Whole warps differ, and wait at different barriers."""

    @cuda.jit
    def kernel(y):
        t = cuda.threadIdx.x
        if t < lanes:
            y[t] = 1
            if wrong:
                cuda.syncthreads()  # <1>
        else:
            y[t] = 2
            if wrong:
                cuda.syncthreads()  # <2>
        if not wrong:
            cuda.syncthreads()
        y[t] += 1

    return kernel


def barrier_after_return(wrong, lanes):
    """Threads that leave are waited for no more; those that wait elsewhere are, in vain."""

    @cuda.jit
    def kernel(y):
        t = cuda.threadIdx.x
        if t >= lanes + 3:
            if wrong:
                cuda.syncthreads()  # <1>
            return
        y[t] = t
        cuda.syncthreads()  # <2>
        y[t + 2 * lanes] = y[t // 2]

    return kernel


def shuffle_mask(wrong, lanes):
    """The mask must name the lane that calls."""
    named = (1 << (lanes // 2)) - 1 if wrong else (1 << lanes) - 1

    @cuda.jit
    def kernel(y):
        t = cuda.threadIdx.x
        y[t] = cuda.shfl_sync(named, t, 0)  # <1>

    return kernel


def lock(fault):
    """One thread of each block adds to a counter under a lock. `fault` leaves out a part of the protocol."""

    def make(wrong, lanes):
        acquires, releases, wide = (not (wrong and fault == part) for part in ("acquire", "release", "scope"))

        @cuda.jit
        def kernel(mutex, counter):
            if cuda.threadIdx.x == 0:
                while cuda.atomic.cas(mutex, 0, 0, 1) != 0:
                    pass
                if acquires:
                    cuda.threadfence()
                counter[0] += 1  # <1>
                if releases:
                    cuda.threadfence()
                if wide:
                    cuda.atomic.exch(mutex, 0, 0)
                else:
                    cuda.atomic.block.exch(mutex, 0, 0)

        return kernel

    return make


def plain_unlock(wrong, lanes):
    @cuda.jit
    def kernel(mutex, counter):
        if cuda.threadIdx.x == 0:
            while cuda.atomic.cas(mutex, 0, 0, 1) != 0:  # <1>
                pass
            cuda.threadfence()
            counter[0] += 1
            cuda.threadfence()
            if wrong:
                mutex[0] = 0  # <2>
            else:
                cuda.atomic.exch(mutex, 0, 0)

    return kernel


def last_block_sums(wrong, lanes):
    """The programming guide's example of a fence: the block that comes last sums what all have stored."""

    @cuda.jit
    def kernel(x, partial, ticket, total):
        s = cuda.shared.array(128, np.int64)
        last = cuda.shared.array(1, np.int32)
        t, b = cuda.threadIdx.x, cuda.blockIdx.x
        s[t] = x[cuda.grid(1)]
        cuda.syncthreads()
        d = cuda.blockDim.x // 2
        while d > 0:
            if t < d:
                s[t] += s[t + d]
            cuda.syncthreads()
            d //= 2
        if t == 0:
            partial[b] = s[0]  # <1>
            if not wrong:
                cuda.threadfence()
            last[0] = cuda.atomic.inc(ticket, 0, cuda.gridDim.x - 1) == cuda.gridDim.x - 1
        cuda.syncthreads()
        if last[0] and t < cuda.gridDim.x:
            cuda.atomic.add(total, 0, partial[t])  # <2>

    return kernel


def last_block_resets(wrong, lanes):
    """Who draws the last ticket comes after all who drew one: a plain store may put the counter back."""

    @cuda.jit
    def kernel(x, partial, ticket, total):
        b = cuda.blockIdx.x
        if cuda.threadIdx.x == 0:
            partial[b] = x[b]
            cuda.threadfence()
            last = cuda.atomic.add(ticket, 0, 1) == cuda.gridDim.x - 1  # <1>
            if last:
                cuda.threadfence()
                for k in range(cuda.gridDim.x):
                    total[0] += partial[k]
            if last or wrong:
                ticket[0] = 0  # <2>

    return kernel


def histogram(wrong, lanes):
    @cuda.jit
    def kernel(x, bins):
        s = cuda.shared.array(4, np.int32)
        t = cuda.threadIdx.x
        if t < 4:
            s[t] = 0
        cuda.syncthreads()
        if wrong:
            s[x[t] % 4] += 1  # <1>
        else:
            cuda.atomic.add(s, x[t] % 4, 1)
        cuda.syncthreads()
        if t < 4:
            cuda.atomic.add(bins, t, s[t])

    return kernel


def stencil_in_place(wrong, lanes):
    @cuda.jit
    def kernel(x, y):
        i = cuda.grid(1)
        if 0 < i < x.size - 1:
            mean = (x[i - 1] + x[i] + x[i + 1]) // 3  # <1>
            if wrong:
                x[i] = mean  # <2>
            else:
                y[i] = mean

    return kernel


def block_scope(wrong, lanes):
    """Atomic within each block only, while two blocks count together."""

    @cuda.jit
    def kernel(count):
        if wrong:
            cuda.atomic.block.add(count, 0, 1)  # <1>
        else:
            cuda.atomic.add(count, 0, 1)

    return kernel


def plain_flag(wrong, lanes):
    """One block hands a value to another; the flag must be set and read by atomics."""

    @cuda.jit
    def kernel(data, flag, out):
        if cuda.blockIdx.x == 0:
            if cuda.threadIdx.x == 0:
                data[0] = 42
                cuda.threadfence()
                if wrong:
                    flag[0] = 1  # <1>
                else:
                    cuda.atomic.exch(flag, 0, 1)
        elif cuda.threadIdx.x == 0:
            while cuda.atomic.add(flag, 0, 0) == 0:  # <2>
                pass
            cuda.threadfence()
            out[0] = data[0]

    return kernel


def double_buffering(wrong, lanes):
    """Two buffers need one barrier a step; without it a fast warp fills what a slow one still reads."""

    @cuda.jit
    def kernel(x, y):
        s = cuda.shared.array((2, 128), np.int64)
        t = cuda.threadIdx.x
        s[0, t] = x[t]
        cuda.syncthreads()
        now = 0
        for _step in range(4):
            s[1 - now, t] = s[now, (t + 1) % cuda.blockDim.x] + 1  # <1>
            now = 1 - now
            if not wrong:
                cuda.syncthreads()
        y[t] = s[now, t]

    return kernel


def scan_in_place(wrong, lanes):
    """Hillis and Steele's prefix sum in one buffer needs two barriers a step."""

    @cuda.jit
    def kernel(x, y):
        s = cuda.shared.array(128, np.int64)
        t = cuda.threadIdx.x
        s[t] = x[t]
        cuda.syncthreads()
        d = 1
        while d < cuda.blockDim.x:
            before = 0
            if t >= d:
                before = s[t - d]  # <1>
            if not wrong:
                cuda.syncthreads()
            s[t] += before  # <2>
            cuda.syncthreads()
            d *= 2
        y[t] = s[t]

    return kernel


def producer_consumer(wrong, lanes):
    """Warp 0 fills, warp 1 empties, with a flag in shared memory between them."""

    @cuda.jit
    def kernel(y):
        s = cuda.shared.array(1, np.int64)
        flag = cuda.shared.array(1, np.int32)
        t = cuda.threadIdx.x
        if t == 0:
            flag[0] = 0
        cuda.syncthreads()
        if t == 0:
            s[0] = 42  # <1>
            cuda.threadfence_block()
            cuda.atomic.exch(flag, 0, 1)
        elif t == lanes:
            while cuda.atomic.add(flag, 0, 0) == 0:
                pass
            if not wrong:
                cuda.threadfence_block()
            y[0] = s[0]  # <2>

    return kernel


def uninitialised_sum(wrong, lanes):
    @cuda.jit
    def kernel(y):
        s = cuda.shared.array(1, np.int32)
        t = cuda.threadIdx.x
        if not wrong and t == 0:
            s[0] = 0
        cuda.syncthreads()
        cuda.atomic.add(s, 0, 1)  # <1>
        cuda.syncthreads()
        y[t] = s[0]

    return kernel


def halo(wrong, lanes):
    @cuda.jit
    def kernel(x, y):
        i = cuda.grid(1)
        if i < x.size - (0 if wrong else 1):
            y[i] = x[i + 1] - x[i]  # <1>

    return kernel


def overlapping_writes(wrong, lanes):
    """Two threads write one element, the same number: that is a race all the same."""

    @cuda.jit
    def kernel(y):
        t = cuda.threadIdx.x
        if wrong or t % 2 == 0:
            y[t // 2] = 7  # <1>

    return kernel


def _arrays(*extents, dtype=np.int64):
    return tuple(np.zeros(extent, dtype) for extent in extents)


def _counted(_lanes, mutex, counter):
    return counter[0] == 4


SPIN = {
    "arguments": lambda lanes: (4, 32, _arrays(1, 1, dtype=np.int32)),
    "hazards": ("RAW", "WAR", "WAW"),
    "result": _counted,
}
CLASSICS = {
    "block reduction": Classic(
        block_reduction,
        lambda lanes: (2, 2 * lanes, (np.arange(4 * lanes), np.zeros(2, np.int64))),
        result=lambda lanes, x, y: y.tolist() == [x[: 2 * lanes].sum(), x[2 * lanes :].sum()],
    ),
    "tiled matrix product": Classic(
        tiled_product,
        lambda lanes: (
            1,
            (16, 16),
            tuple(np.ones(shape, np.float32) for shape in ((16, 32), (32, 16), (16, 16))),
        ),
        result=lambda _lanes, _a, _b, c: bool((c == 32).all()),
        slow=True,
    ),
    "warp sum": Classic(
        warp_sum,
        lambda lanes: (1, lanes, (np.arange(lanes), np.zeros(lanes, np.int64))),
        models=("independent",),
    ),
    "shuffle as barrier": Classic(
        shuffle_as_barrier,
        lambda lanes: (1, lanes, (np.arange(lanes), np.zeros(lanes, np.int64))),
        models=("independent",),
    ),
    "half-warp mask": Classic(
        half_warp_mask,
        lambda lanes: (1, lanes, (np.arange(lanes), np.zeros(lanes, np.int64))),
        models=("independent",),
    ),
    "transposition": Classic(
        transposition,
        lambda lanes: (1, (16, 16), (np.arange(256).reshape(16, 16), np.zeros((16, 16), np.int64))),
        result=lambda _lanes, x, y: bool((y == x.T).all()),
    ),
    "barrier in a branch": Classic(
        barrier_in_branch,
        lambda lanes: (1, 2 * lanes, _arrays(2 * lanes)),
        tool="synccheck",
        hazards=("divergent threads in warp",),
    ),
    "barrier in both branches": Classic(
        barrier_in_both_branches,
        lambda lanes: (1, 2 * lanes, _arrays(2 * lanes)),
        tool="synccheck",
        hazards=("divergent threads in block",),
    ),
    "barrier after a return": Classic(
        barrier_after_return,
        lambda lanes: (1, 2 * lanes, _arrays(4 * lanes)),
        tool="synccheck",
        hazards=("deadlock", "divergent threads in warp", "divergent threads in block"),
    ),
    "shuffle mask": Classic(
        shuffle_mask,
        lambda lanes: (1, lanes, _arrays(lanes)),
        tool="synccheck",
        hazards=("invalid mask",),
    ),
    "lock without acquiring fence": Classic(lock("acquire"), **SPIN),
    "lock without releasing fence": Classic(lock("release"), **SPIN),
    "lock of block scope": Classic(lock("scope"), **SPIN),
    "lock released by a store": Classic(plain_unlock, **SPIN),
    "last block sums": Classic(
        last_block_sums,
        lambda lanes: (
            3,
            2 * lanes,
            (np.arange(6 * lanes), *_arrays(3), *_arrays(1, dtype=np.uint32), *_arrays(1)),
        ),
        hazards=("RAW",),
        result=lambda _lanes, x, _partial, _ticket, total: total[0] == x.sum(),
    ),
    "last block resets": Classic(
        last_block_resets,
        lambda lanes: (4, lanes, (np.arange(1, 5), *_arrays(4), *_arrays(1, dtype=np.int32), *_arrays(1))),
        hazards=("RAW", "WAW"),
        result=lambda _lanes, _x, _partial, ticket, total: (ticket[0], total[0]) == (0, 10),
    ),
    "histogram": Classic(
        histogram,
        lambda lanes: (1, 2 * lanes, (np.arange(2 * lanes), *_arrays(4, dtype=np.int32))),
        hazards=("RAW", "WAR", "WAW"),
        result=lambda lanes, _x, bins: bins.tolist() == [lanes // 2] * 4,
    ),
    "stencil in place": Classic(stencil_in_place, lambda lanes: (2, 64, (np.arange(128), *_arrays(128)))),
    "block scope across blocks": Classic(
        block_scope,
        lambda lanes: (2, 64, _arrays(1, dtype=np.int32)),
        hazards=("WAW",),
        result=lambda _lanes, count: count[0] == 128,
    ),
    "flag set by a store": Classic(
        plain_flag,
        lambda lanes: (2, 32, _arrays(1, 1, 1, dtype=np.int32)),
        hazards=("RAW", "WAR", "WAW"),
        result=lambda _lanes, _data, _flag, out: out[0] == 42,
    ),
    "double buffering": Classic(
        double_buffering, lambda lanes: (1, 2 * lanes, (np.arange(2 * lanes), *_arrays(2 * lanes)))
    ),
    "prefix sum in place": Classic(
        scan_in_place,
        lambda lanes: (1, 2 * lanes, (np.arange(2 * lanes), *_arrays(2 * lanes))),
        result=lambda _lanes, x, y: bool((y == np.cumsum(x)).all()),
    ),
    "producer and consumer": Classic(
        producer_consumer,
        lambda lanes: (1, 2 * lanes, _arrays(1)),
        result=lambda _lanes, y: y[0] == 42,
    ),
    "uninitialised sum": Classic(
        uninitialised_sum,
        lambda lanes: (1, 64, _arrays(64, dtype=np.int32)),
        tool="initcheck",
        hazards=("uninitialized read",),
    ),
    "halo": Classic(
        halo,
        lambda lanes: (2, 64, (np.arange(100), np.zeros(128, np.int64))),
        tool="memcheck",
        hazards=("out of bounds",),
    ),
    "overlapping writes": Classic(overlapping_writes, lambda lanes: (1, 64, _arrays(32)), hazards=("WAW",)),
}
