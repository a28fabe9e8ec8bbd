"""Random programs of small trees of grids, and the kernels that carry them out, for CDP1 and for CDP2.

Of each warp one lane works, so that it makes no difference whether lanes run in lock-step.
"""

from __future__ import annotations

import numpy as np

from gpusim import cuda, cudart

NOTHING, READ, WRITE, BARRIER, NULL, ONE, TWO, TAIL, FIRE, LINK, SYNC = range(11)
CELLS, STEPS, WARPS, BLOCKS = 24, 6, 2, 2
NO_TIMING = cudart.cudaEventDisableTiming
FLAGS = cudart.cudaStreamNonBlocking
TO_TAIL, TO_FIRE = cudart.cudaStreamTailLaunch, cudart.cudaStreamFireAndForget


@cuda.jit
def under_cdp2(table, shapes, x, sums, me):
    warp, block = cuda.threadIdx.x // 32, cuda.blockIdx.x
    works, total = cuda.threadIdx.x % 32 == 0, 0
    _, one = cudart.cudaStreamCreateWithFlags(FLAGS)
    _, two = cudart.cudaStreamCreateWithFlags(FLAGS)
    _, event = cudart.cudaEventCreateWithFlags(NO_TIMING)
    for step in range(STEPS):
        what, k = table[me, block, warp, step, 0], table[me, block, warp, step, 1]
        if what == BARRIER:
            cuda.syncthreads()
        if not works:
            continue
        if what == READ:
            total += x[k]
        elif what == WRITE:
            x[k] = step
        elif what == NULL:
            under_cdp2[shapes[k], 64](table, shapes, x, sums, k)
        elif what == ONE:
            under_cdp2[shapes[k], 64, one](table, shapes, x, sums, k)
        elif what == TWO:
            under_cdp2[shapes[k], 64, two](table, shapes, x, sums, k)
        elif what == TAIL:
            under_cdp2[shapes[k], 64, TO_TAIL](table, shapes, x, sums, k)
        elif what == FIRE:
            under_cdp2[shapes[k], 64, TO_FIRE](table, shapes, x, sums, k)
        elif what == LINK:
            cudart.cudaEventRecord(event, one)
            cudart.cudaStreamWaitEvent(two, event, 0)
    if works:
        sums[me, block, warp] = total


@cuda.jit
def under_cdp1(table, shapes, x, sums, me):
    warp, block = cuda.threadIdx.x // 32, cuda.blockIdx.x
    works, total = cuda.threadIdx.x % 32 == 0, 0
    _, one = cudart.cudaStreamCreateWithFlags(FLAGS)
    _, two = cudart.cudaStreamCreateWithFlags(FLAGS)
    _, event = cudart.cudaEventCreateWithFlags(NO_TIMING)
    for step in range(STEPS):
        what, k = table[me, block, warp, step, 0], table[me, block, warp, step, 1]
        if what == BARRIER:
            cuda.syncthreads()
        if not works:
            continue
        if what == READ:
            total += x[k]
        elif what == WRITE:
            x[k] = step
        elif what == NULL:
            under_cdp1[shapes[k], 64](table, shapes, x, sums, k)
        elif what == ONE:
            under_cdp1[shapes[k], 64, one](table, shapes, x, sums, k)
        elif what == TWO:
            under_cdp1[shapes[k], 64, two](table, shapes, x, sums, k)
        elif what == LINK:
            cudart.cudaEventRecord(event, one)
            cudart.cudaStreamWaitEvent(two, event, 0)
        elif what == SYNC:
            cudart.cudaDeviceSynchronize()
    if works:
        sums[me, block, warp] = total


KERNELS = {1: under_cdp1, 2: under_cdp2}
OF_ALL, OF_FIRST = {1: (NULL,), 2: (NULL, TAIL, FIRE)}, (ONE, TWO)


def random_program(random, cdp, grids=5):
    """`program[grid][block][thread]`: a list of (what, argument)."""
    program = {}
    for grid in range(grids):
        blocks = 1 if random.random() < 0.7 else BLOCKS
        program[grid] = [[[(NOTHING, 0)] * STEPS for _ in range(WARPS)] for _ in range(blocks)]
        for block in program[grid]:
            for step in range(STEPS):
                if step and random.random() < 0.3:
                    for thread in block:
                        thread[step] = BARRIER, 0
                    continue
                for number, thread in enumerate(block):
                    thread[step] = _step(random, cdp, number)
    for child in range(1, grids):
        blocks = program[int(random.integers(max(0, child - 3), child))]
        block = blocks[random.integers(len(blocks))]
        number = int(random.integers(WARPS))
        free = [s for s, (what, _) in enumerate(block[number]) if what not in (BARRIER, *range(NULL, LINK))]
        kinds = (*OF_ALL[cdp], *(OF_FIRST if number == 0 else ()))
        if free:
            block[number][random.choice(free)] = int(random.choice(kinds)), child
    return program


def _step(random, cdp, number):
    kind = random.random()
    if kind < 0.6:
        return int(random.choice([READ, READ, WRITE])), int(random.integers(CELLS))
    if kind < 0.7 and number == 0:
        return LINK, 0
    return (SYNC if cdp == 1 and kind < 0.9 else NOTHING), 0


def as_arrays(program):
    """(table, shapes) as the kernels take them."""
    table = np.zeros((len(program), BLOCKS, WARPS, STEPS, 2), np.int64)
    for grid, blocks in program.items():
        for block, threads in enumerate(blocks):
            table[grid, block] = threads
    return table, np.array([len(blocks) for blocks in program.values()])
