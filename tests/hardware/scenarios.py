"""The kernels whose divergence an H200 recorded (`divergence.json`), in Numba's dialect, for one warp.

`passed(events, point, value)` stands for the recording's `LOG`. Lanes together take tickets in a row.
"""

from __future__ import annotations

import numpy as np

from gpusim import cuda

FULL = 0xFFFFFFFF
MOST_EVENTS = 1024


@cuda.jit(device=True)
def passed(events, point, value):
    mask = cuda.activemask()
    ticket = cuda.atomic.add(events, (0, 0), 1)
    events[ticket, 0] = point
    events[ticket, 1] = mask
    events[ticket, 2] = cuda.laneid
    events[ticket, 3] = value


@cuda.jit(device=True)
def heavy(rounds):
    x = np.float32(1)
    for _ in range(rounds):
        x = x * np.float32(0.5) + np.float32(1)
    return x


@cuda.jit(device=True)
def below_twenty(events, lane):
    passed(events, 10, 0)
    heavy(8)
    return lane < 20


@cuda.jit(device=True)
def odd(events, lane):
    passed(events, 11, 0)
    heavy(8)
    return lane & 1


@cuda.jit
def if_odd(events, _word, _data):
    lane = cuda.threadIdx.x
    passed(events, 0, 0)
    if lane & 1:
        passed(events, 1, 0)
        heavy(8)
        passed(events, 2, 0)
    else:
        passed(events, 3, 0)
        heavy(8)
        passed(events, 4, 0)
    passed(events, 5, 0)
    cuda.syncwarp()
    passed(events, 6, 0)


@cuda.jit
def if_no_else(events, _word, _data):
    passed(events, 0, 0)
    if cuda.threadIdx.x < 5:
        passed(events, 1, 0)
        heavy(8)
        passed(events, 2, 0)
    passed(events, 3, 0)
    cuda.syncwarp()
    passed(events, 4, 0)


@cuda.jit
def if_uniform(events, word, _data):
    passed(events, 0, 0)
    if word.size == 1:
        passed(events, 1, 0)
        heavy(8)
    else:
        passed(events, 2, 0)
        heavy(8)
    passed(events, 3, 0)


@cuda.jit
def switch4(events, _word, _data):
    case = cuda.threadIdx.x & 3
    passed(events, 0, 0)
    if case == 0:
        passed(events, 1, 0)
        heavy(8)
    elif case == 1:
        passed(events, 2, 0)
        heavy(8)
    elif case == 2:
        passed(events, 3, 0)
        heavy(8)
    else:
        passed(events, 4, 0)
        heavy(8)
    passed(events, 5, 0)
    cuda.syncwarp()
    passed(events, 6, 0)


@cuda.jit
def nested_if(events, _word, _data):
    lane = cuda.threadIdx.x
    passed(events, 0, 0)
    if lane < 16:
        passed(events, 1, 0)
        if lane & 1:
            passed(events, 2, 0)
            heavy(8)
        else:
            passed(events, 3, 0)
            heavy(8)
        passed(events, 4, 0)
        heavy(8)
    else:
        passed(events, 5, 0)
        if lane < 20:
            passed(events, 6, 0)
            heavy(8)
        passed(events, 7, 0)
        heavy(8)
    passed(events, 8, 0)
    cuda.syncwarp()
    passed(events, 9, 0)


@cuda.jit
def loop_trip_lane_mod4(events, _word, _data):
    passed(events, 0, 0)
    for i in range(cuda.threadIdx.x & 3):
        passed(events, 1, i)
        heavy(8)
    passed(events, 2, 0)
    cuda.syncwarp()
    passed(events, 3, 0)


@cuda.jit
def do_while_trip(events, _word, _data):
    i = 0
    passed(events, 0, 0)
    while True:
        passed(events, 1, i)
        heavy(8)
        i += 1
        if i >= (cuda.threadIdx.x >> 3) + 1:
            break
    passed(events, 2, 0)


@cuda.jit
def break_loop(events, _word, _data):
    passed(events, 0, 0)
    for i in range(6):
        passed(events, 1, i)
        heavy(8)
        if i == cuda.threadIdx.x >> 3:
            passed(events, 2, i)
            heavy(8)
            break
        passed(events, 3, i)
    passed(events, 4, 0)
    cuda.syncwarp()
    passed(events, 5, 0)


@cuda.jit
def continue_loop(events, _word, _data):
    passed(events, 0, 0)
    for i in range(4):
        passed(events, 1, i)
        if ((cuda.threadIdx.x + i) & 3) == 0:
            passed(events, 2, i)
            heavy(8)
            continue
        heavy(8)
        passed(events, 3, i)
    passed(events, 4, 0)


@cuda.jit
def return_all_but_one(events, _word, _data):
    passed(events, 0, 0)
    if cuda.threadIdx.x != 7:
        return
    passed(events, 1, 0)
    heavy(8)
    passed(events, 2, 0)


@cuda.jit
def short_or(events, _word, _data):
    lane = cuda.threadIdx.x
    passed(events, 0, 0)
    if below_twenty(events, lane) or odd(events, lane):
        passed(events, 1, 0)
        heavy(8)
    else:
        passed(events, 2, 0)
        heavy(8)
    passed(events, 3, 0)


@cuda.jit
def ternary(events, _word, data):
    lane = cuda.threadIdx.x
    passed(events, 0, 0)
    one, other = data[lane] * 2, data[lane] + 3
    data[lane] = one if lane < 16 else other
    passed(events, 1, 0)


@cuda.jit
def guarded_reduce_ballot(events, _word, _data):
    lane = cuda.threadIdx.x
    passed(events, 0, 0)
    for k in range(3):
        n = 10 if k == 0 else 20 if k == 1 else 32
        mask = cuda.ballot_sync(FULL, lane < n)
        passed(events, 1, np.int32(mask))
        value = lane + 1
        if lane < n:
            offset = 16
            while offset:
                other = cuda.shfl_down_sync(mask, value, offset)
                if lane + offset < n:
                    value += other
                offset >>= 1
            passed(events, 2, value)
        passed(events, 3, 0)


@cuda.jit
def guarded_reduce_activemask(events, _word, _data):
    lane = cuda.threadIdx.x
    passed(events, 0, 0)
    for k in range(3):
        n = 10 if k == 0 else 20 if k == 1 else 32
        value = lane + 1
        if lane < n:
            mask = cuda.activemask()
            passed(events, 1, np.int32(mask))
            offset = 16
            while offset:
                other = cuda.shfl_down_sync(mask, value, offset)
                if lane + offset < n:
                    value += other
                offset >>= 1
            passed(events, 2, value)
        passed(events, 3, 0)


@cuda.jit
def unequal_paths(events, _word, _data):
    passed(events, 0, 0)
    if cuda.threadIdx.x < 16:
        passed(events, 1, 0)
        heavy(200)
        passed(events, 2, 0)
    else:
        passed(events, 3, 0)
        heavy(2)
        passed(events, 4, 0)
    passed(events, 5, 0)


@cuda.jit
def load_in_branches(events, _word, data):
    lane = cuda.threadIdx.x
    passed(events, 0, 0)
    if lane < 16:
        passed(events, 1, 0)
        passed(events, 2, int(data[lane]))
        heavy(8)
        passed(events, 3, 0)
    else:
        passed(events, 4, 0)
        passed(events, 5, int(data[32 + lane]))
        heavy(8)
        passed(events, 6, 0)
    passed(events, 7, 0)


@cuda.jit
def ld_loop_in_branches(events, _word, data):
    lane = cuda.threadIdx.x
    x = np.float32(0)
    passed(events, 0, 0)
    if lane < 16:
        for i in range(4):
            x += data[lane + int(x) * 0]
            passed(events, 1, i)
    else:
        for i in range(4):
            x += data[32 + lane + int(x) * 0]
            passed(events, 2, i)
    passed(events, 3, 0)


@cuda.jit
def nanosleep_in_branch(events, _word, _data):
    passed(events, 0, 0)
    if cuda.threadIdx.x < 16:
        passed(events, 1, 0)
        cuda.nanosleep(2000)
        passed(events, 2, 0)
        heavy(8)
    else:
        passed(events, 3, 0)
        heavy(8)
        passed(events, 4, 0)
    passed(events, 5, 0)
    cuda.syncwarp()
    passed(events, 6, 0)


@cuda.jit
def spin_lock_naive(events, word, _data):
    spins = 0
    passed(events, 0, 0)
    while cuda.atomic.cas(word, 0, 0, 1) != 0 and spins < 2000000:
        spins += 1
    passed(events, 1, spins)
    heavy(8)
    cuda.threadfence_block()
    cuda.atomic.exch(word, 0, 0)
    passed(events, 2, spins)


@cuda.jit
def producer_consumer(events, word, _data):
    lane, spins = cuda.threadIdx.x, 0
    passed(events, 0, 0)
    if lane < 16:
        passed(events, 1, 0)
        while word[0] == 0 and spins < 2000000:
            spins += 1
        passed(events, 2, spins)
    else:
        passed(events, 3, 0)
        heavy(50)
        if lane == 31:
            word[0] = 1
        passed(events, 4, 0)
    passed(events, 5, 0)


@cuda.jit
def shfl_xor1_both_branches_full_mask(events, _word, _data):
    lane = cuda.threadIdx.x
    passed(events, 0, 0)
    if lane < 16:
        passed(events, 1, 0)
        heavy(8)
        value = cuda.shfl_xor_sync(FULL, 100 + lane, 1)
        passed(events, 2, value)
    else:
        passed(events, 3, 0)
        heavy(8)
        value = cuda.shfl_xor_sync(FULL, 200 + lane, 1)
        passed(events, 4, value)
    passed(events, 5, value)


@cuda.jit
def syncthreads_one_branch(events, _word, _data):
    passed(events, 0, 0)
    if cuda.threadIdx.x < 16:
        passed(events, 1, 0)
        heavy(8)
        cuda.syncthreads()
        passed(events, 2, 0)
    else:
        passed(events, 3, 0)
        heavy(8)
        passed(events, 4, 0)
    passed(events, 5, 0)


@cuda.jit
def syncthreads_after_early_return(events, _word, _data):
    passed(events, 0, 0)
    if cuda.threadIdx.x >= 16:
        passed(events, 1, 0)
        return
    heavy(8)
    cuda.syncthreads()
    passed(events, 2, 0)


KERNELS = {
    kernel.__name__: kernel
    for kernel in (
        if_odd, if_no_else, if_uniform, switch4, nested_if, loop_trip_lane_mod4, do_while_trip, break_loop,
        continue_loop, return_all_but_one, short_or, ternary, guarded_reduce_ballot,
        guarded_reduce_activemask, unequal_paths, load_in_branches, ld_loop_in_branches,
        nanosleep_in_branch, spin_lock_naive, producer_consumer, shfl_xor1_both_branches_full_mask,
        syncthreads_one_branch, syncthreads_after_early_return,
    )
}  # fmt: skip
