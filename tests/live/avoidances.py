"""Kernels that leave out what a puzzle asks for, or get it wrong: on which page, and what is said of them."""

from __future__ import annotations

from typing import NamedTuple


class Avoidance(NamedTuple):
    """`text` in place of the puzzle's cell; `said` is in the reply."""

    page: str
    place: int
    said: str
    text: str


def kernel(head: str, *lines: str) -> str:
    return "\n".join(["@cuda.jit", f"def {head}:", *(f"    {line}" for line in lines)])


T = "t = cuda.threadIdx.x"
ALONE = "if cuda.threadIdx.x == 0:"
OTHERS = "for other numbers than the page's"
AVOIDANCES = [
    Avoidance(
        "threads-warps-and-waves",
        0,
        "Each thread should write down the number of its own warp",
        kernel("write_down(warp)", ALONE, "    for j in range(warp.size): warp[j] = j // cuda.warpsize"),
    ),
    Avoidance("threads-warps-and-waves", 0, "This cell must define `write_down`", "x = 1"),
    Avoidance(
        "threads-warps-and-waves",
        1,
        "200 stores by one thread, and at most 1 are asked. One thread for each seat",
        kernel(
            "move_on(x)",
            ALONE,
            "    first = x[0]",
            "    for j in range(199): x[j] = x[j + 1]",
            "    x[199] = first",
        ),
    ),
    Avoidance(
        "threads-warps-and-waves",
        1,
        "Line 3 does both. The kernel's barrier, in line 4, does not come between the two.",
        kernel("move_on(x)", "x[cuda.threadIdx.x] = x[(cuda.threadIdx.x + 1) % 200]", "cuda.syncthreads()"),
    ),
    Avoidance(
        "threads-warps-and-waves",
        1,
        "On the way from line 4 to line 6 nothing makes one thread wait for the other.",
        kernel("move_on(x)", T, "person = x[(t + 1) % 200]", "cuda.syncwarp()", "x[t] = person"),
    ),
    Avoidance(
        "threads-warps-and-waves",
        1,
        "Whom does a thread read, and where does it write?",
        kernel("move_on(x)", T, "person = x[(t - 1) % 200]", "cuda.syncthreads()", "x[t] = person"),
    ),
    Avoidance(
        "divergence-and-masks",
        0,
        "this one takes more than its part",
        kernel(
            "even_or_odd(x, out)",
            "for j in range(0, 128, 2):",
            "    out[j] = x[j] * x[j]",
            "    out[j + 1] = -x[j + 1]",
        ),
    ),
    Avoidance(
        "divergence-and-masks",
        1,
        OTHERS,
        kernel(
            "all_jobs(needed, out)",
            "x = 0",
            "for step in range(40): x = (3 * x + step) % 1000",
            "out[cuda.threadIdx.x] = x",
        ),
    ),
    Avoidance(
        "inside-a-multiprocessor",
        1,
        "64 threads: in each round",
        kernel(
            "add_left(x, y)",
            ALONE,
            "    for _ in range(2):",
            "        for i in range(64): y[i] = x[i] + x[(i - 1) % 64]",
            "        for i in range(64): x[i] = y[i] + y[(i - 1) % 64]",
        ),
    ),
    Avoidance(
        "coalescing",
        0,
        OTHERS,
        kernel("doubled(table, out)", T, "row = cuda.blockIdx.x", "out[row, t] = 2 * (32 * row + t)"),
    ),
    Avoidance(
        "coalescing",
        1,
        OTHERS,
        kernel(
            "transposed(table, out)",
            T,
            "for row in range(cuda.threadIdx.y, 32, 8): out[row, t] = t * 32 + row",
        ),
    ),
    Avoidance(
        "shared-memory-and-banks",
        1,
        "There is a race",
        kernel(
            "row_each(x, out)",
            "tile = cuda.shared.array(32 * 32, np.int32)",
            T,
            "for row in range(32): tile[32 * row + (t ^ row)] = x[row, t]",
            "total = 0",
            "for k in range(32): total += tile[32 * t + (k ^ t)]",
            "out[t] = total",
        ),
    ),
    Avoidance(
        "on-chip-memory",
        0,
        "There is a race",
        kernel(
            "mirrored(x)",
            "tile = cuda.shared.array(7168, np.uint8)",
            "for i in range(cuda.threadIdx.x, 7168, 256): tile[i] = x[i]",
            "for i in range(cuda.threadIdx.x, 7168, 256): x[i] = tile[7167 - i]",
        ),
    ),
    Avoidance(
        "shared-memory-and-banks",
        0,
        OTHERS,
        kernel(
            "upside_down(x, out)",
            "own = cuda.shared.array(4 * 32, np.int32)",
            T,
            "for k in range(4): own[32 * k + t] = 32 * k + t",
            "for k in range(4): out[k, t] = own[32 * (3 - k) + t]",
        ),
    ),
    Avoidance(
        "shared-memory-and-banks",
        0,
        "The numbers must stay in shared memory",
        kernel(
            "upside_down(x, out)",
            "own = cuda.local.array(4, np.int32)",
            T,
            "for k in range(4): own[k] = x[k, t]",
            "for k in range(4): out[k, t] = own[3 - k]",
        ),
    ),
    Avoidance(
        "shared-memory-and-banks",
        1,
        "The numbers must stay in shared memory",
        kernel(
            "row_each(x, out)",
            "t, total = cuda.threadIdx.x, 0",
            "for k in range(32): total += x[t, k]",
            "out[t] = total",
        ),
    ),
    Avoidance(
        "scaling",
        1,
        "There is a race",
        kernel(
            "fairly(rounds, shares)",
            "total = 0",
            "for job in range(rounds.size): total += rounds[job]",
            "shares[cuda.blockIdx.x] = total // 4",
            "for job in range(cuda.blockIdx.x, rounds.size, 4): rounds[job] = 0",
        ),
    ),
    Avoidance(
        "scaling",
        1,
        "Elements 0, 4 and 1, 4 are what nobody did",
        kernel("fairly(rounds, shares)", "shares[cuda.blockIdx.x] = 340 if rounds.size == 16 else 1320"),
    ),
    Avoidance(
        "independent-thread-scheduling",
        0,
        'gpusim.use(scheduling="independent") lets them run',
        kernel(
            "talk(question, answer, out)",
            T,
            "if t == 0:",
            "    question[0] = 6",
            "    while answer[0] == 0: pass",
            "    out[0] = answer[0]",
            "elif t == 1:",
            "    while question[0] == 0: pass",
            "    answer[0] = 7 * question[0]",
        ),
    ),
    Avoidance(
        "independent-thread-scheduling",
        0,
        "Element 3 is what lane 1 reads",
        kernel(
            "talk(question, answer, out)",
            ALONE,
            "    question[0] = 6",
            "    answer[0] = 7 * question[0]",
            "    out[0] = answer[0]",
        ),
    ),
    Avoidance(
        "independent-thread-scheduling",
        0,
        "Lane 1 should read the question",
        kernel(
            "talk(question, answer, out)",
            T,
            "if t == 0:",
            "    question[0] = 6",
            "    out[0] = 42",
            "elif t == 1:",
            "    answer[0] = 42",
        ),
    ),
    Avoidance(
        "independent-thread-scheduling",
        1,
        "a lane loads its own number only",
        kernel(
            "add_up(x, out)",
            T,
            "total = 0",
            "first = t // cuda.warpsize * cuda.warpsize",
            "for k in range(cuda.warpsize): total += x[first + k]",
            "out[t] = total",
        ),
    ),
    Avoidance(
        "synchronisation",
        0,
        "Half of the threads should add",
        kernel(
            "halving(x, out)",
            ALONE,
            "    total = 0",
            "    for k in range(128): total += x[k]",
            "    out[0] = total",
        ),
    ),
    Avoidance(
        "synchronisation",
        1,
        "should say in arrived",
        kernel(
            "sum_again(x, partial, arrived, total)",
            "if cuda.blockIdx.x == 0:",
            "    total[0] = 0",
            "    for k in range(8): total[0] += x[k]",
        ),
    ),
    Avoidance(
        "cooperative-groups",
        0,
        "the others it has from its group",
        kernel(
            "odd_alone(x, out)",
            T,
            "total = 100",
            "if x[t] % 2 == 1:",
            "    for k in range(16):",
            "        number = x[t // 16 * 16 + k]",
            "        if number % 2 == 1: total += number",
            "out[t] = total",
        ),
    ),
    Avoidance(
        "cooperative-groups",
        1,
        "the others it has from its group",
        kernel(
            "each_32(x, out)",
            T,
            "if t % 32 == 0:",
            "    total = 0",
            "    for k in range(32): total += x[t + k]",
            "    out[t // 32] = total",
        ),
    ),
    Avoidance(
        "parent-and-child-grids",
        0,
        "The parent should launch a grid",
        kernel(
            "brightens(image)",
            "for k in range(4): image[k, cuda.grid(1)] += 1",
        ),
    ),
    Avoidance(
        "parent-and-child-grids",
        1,
        "One grid should find the peak",
        kernel(
            "levelled(table, peak)",
            "if cuda.grid(1) == 0:",
            "    highest = 0",
            "    for k in range(4):",
            "        for j in range(32): highest = max(highest, table[k, j])",
            "    for k in range(4):",
            "        for j in range(32): table[k, j] -= highest",
        ),
    ),
    Avoidance(
        "memory-across-launches",
        0,
        "a child that it launches triple them",
        kernel("hands_on(x, noted)", T, "noted[t] = t + 1", "x[t] = 3 * (t + 1)"),
    ),
    Avoidance(
        "memory-across-launches",
        1,
        "one child z, and another one out",
        kernel(
            "pairs(x, y, z, out)",
            "if cuda.grid(1) == 0:",
            "    for i in range(8): y[i] = x[i] + x[(i + 1) % 8]",
            "    for i in range(8): z[i] = y[i] + y[(i + 1) % 8]",
            "    for i in range(8): out[i] = z[i] + z[(i + 1) % 8]",
        ),
    ),
    Avoidance(
        "memory-across-launches",
        1,
        "the grid that makes out began before the one that makes z had ended",
        kernel("paired(x, out)", "i = cuda.grid(1)", "out[i] = x[i] + x[(i + 1) % 8]")
        + "\n\n"
        + kernel(
            "pairs(x, y, z, out)",
            "i = cuda.grid(1)",
            "y[i] = x[i] + x[(i + 1) % 8]",
            "if i == 0:",
            "    paired[2, 4, TAIL](z, out)",
            "    paired[2, 4, TAIL](y, z)",
        ),
    ),
    Avoidance(
        "device-runtime",
        0,
        "Each grid should do one number",
        kernel(
            "for_the_rest(out, low, high)",
            "if low == 0:",
            "    for k in range(high): out[k] = 10 * k",
            "    for k in range(high - 1): for_the_rest[1, 1](out, 1, 1)",
        ),
    ),
    Avoidance(
        "device-runtime",
        1,
        "The runtime should copy y to x",
        kernel("copy_and_add(x, y)", T, "x[t] = y[t] + 1"),
    ),
]
