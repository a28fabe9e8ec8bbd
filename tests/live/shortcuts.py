"""Kernels that reach what a puzzle counts without what it is about: what is said of them."""

from __future__ import annotations

from tests.live.avoidances import ALONE, OTHERS, Avoidance, T, kernel

INDEX = "i = cuda.grid(1)"
B = "b = cuda.blockIdx.x"
OWN = "own = cuda.shared.array(4 * 32, np.int32)"
TILE = "tile = cuda.shared.array(32 * 32, np.int32)"
TENFOLD = "of_a_t4(x, out)"
GROUP = "A group adds up without"
NOTHING = kernel("nothing(x)", "x[0] += 0") + "\n\n"


SHORTCUTS = [
    Avoidance(
        "scaling",
        0,
        "1,344 sectors loaded (A100), and at most 640 are asked",
        kernel(TENFOLD, "for k in range(cuda.grid(1), x.size, 1280): out[k] = 10 * x[k]"),
    ),
    Avoidance(
        "scaling",
        0,
        "All 1,280 threads of a T4 should share",
        kernel(TENFOLD, INDEX, "if i < 32:", "    for k in range(i, x.size, 32): out[k] = 10 * x[k]"),
    ),
    Avoidance(
        "scaling",
        1,
        OTHERS,
        kernel(
            "fairly(rounds, shares)",
            B,
            "jobs = rounds.size",
            "shares[b] = 10 * jobs * (jobs + 1) // 8",
            "for job in range(b, jobs, 4): rounds[job] = 0",
        ),
    ),
    Avoidance(
        "shared-memory-and-banks",
        0,
        "Element 4, 0 is 28, and should be 192",
        kernel(
            "upside_down(x, out)",
            OWN,
            T,
            "for k in range(4): own[32 * k + t] = 7",
            "for k in range(4): out[k, t] = own[32 * k + t] * 0 + x[3 - k, t]",
        ),
    ),
    Avoidance(
        "shared-memory-and-banks",
        0,
        "8 requests to load from x, and at most 4 are asked",
        kernel(
            "upside_down(x, out)",
            OWN,
            T,
            "for k in range(4): own[32 * k + t] = x[k, t]",
            "for k in range(4): out[k, t] = own[32 * k + t] * 0 + x[3 - k, t]",
        ),
    ),
    Avoidance(
        "shared-memory-and-banks",
        1,
        "1,024 sectors loaded from x, and at most 128 are asked",
        kernel(
            "row_each(x, out)",
            TILE,
            T,
            "total = 0",
            "for k in range(32): tile[32 * k + t] = x[t, k]",
            "for k in range(32): total += tile[32 * k + t]",
            "out[t] = total",
        ),
    ),
    Avoidance(
        "synchronisation",
        0,
        "128 atomic operations, and at most 4 are asked. All queue at one word.",
        kernel("halving(x, out)", "cuda.atomic.add(out, 0, x[cuda.threadIdx.x])"),
    ),
    Avoidance(
        "synchronisation",
        0,
        "Each thread loads its own number, and once",
        kernel(
            "halving(x, out)",
            T,
            "total = 0",
            "for k in range(4): total += x[32 * k + t % 32]",
            "for step in (16, 8, 4, 2, 1): total += cuda.shfl_down_sync(-1, total, step)",
            "if t == 0: out[0] = total",
        ),
    ),
    Avoidance(
        "threads-warps-and-waves",
        1,
        "200 stores by one thread, and at most 1 are asked",
        kernel(
            "move_on(x)",
            ALONE,
            "    first = x[0]",
            "    for j in range(199): cuda.atomic.exch(x, j, x[j + 1])",
            "    cuda.atomic.exch(x, 199, first)",
        ),
    ),
    Avoidance(
        "divergence-and-masks",
        1,
        "instructions for other numbers than the page's, and at most 700 are asked",
        kernel(
            "all_jobs(needed, out)",
            T,
            "x = 0",
            "if needed[0, t] + needed[1, t] + needed[2, t] + needed[3, t] == 40:",
            "    for step in range(40): x = (3 * x + step) % 1000",
            "else:",
            "    for job in range(4):",
            "        for again in range(2):",
            "            done = x",
            "            for step in range(needed[job, t]): done = (3 * done + step) % 1000",
            "        x = done",
            "out[t] = x",
        ),
    ),
    Avoidance(
        "inside-a-multiprocessor",
        0,
        "Two walks of six links take twelve loads",
        kernel(
            "in_turn(link, out)",
            "places = cuda.local.array(256, 'int32')",
            "for k in range(256): places[k] = link[k]",
            T,
            "a, b = t, t + 32",
            "for _ in range(6): a, b = places[a], places[b]",
            "out[t] = a + b",
        ),
    ),
    Avoidance(
        "inside-a-multiprocessor",
        1,
        "64 threads: in each round",
        kernel(
            "add_left(x, y)",
            ALONE,
            "    for _ in range(4):",
            "        last = x[63]",
            "        for i in range(63): cuda.atomic.add(x, 63 - i, x[62 - i])",
            "        cuda.atomic.add(x, 0, last)",
        ),
    ),
    Avoidance(
        "on-chip-memory",
        0,
        "The row should pass through a tile",
        kernel(
            "mirrored(x)",
            "for i in range(cuda.threadIdx.x, 3584, 256):",
            "    grey = x[i]",
            "    x[i] = x[7167 - i]",
            "    x[7167 - i] = grey",
        ),
    ),
    Avoidance(
        "on-chip-memory",
        1,
        "There each of 64 threads has a table of its own",
        kernel(
            "encoded(x, out)",
            "own, table = cuda.local.array(32, np.int32), cuda.const.array_like(CODE)",
            T,
            "for k in range(32): own[k] = table[k]",
            "for k in range(16): out[k, t] = own[x[k, t]]",
        ),
    ),
    Avoidance(
        "occupancy",
        0,
        "Each of 256 threads adds up its own eight products",
        kernel(
            "eight_products(x, y, out)",
            INDEX,
            "for k in range(8): cuda.atomic.add(out, i, x[k, i] * y[k, i])",
        ),
    ),
    Avoidance(
        "wide-loads",
        0,
        "Each thread adds up its own numbers",
        kernel(
            "eight_in_a_row(x, pairs, out)",
            T,
            "for k in range(4):",
            "    pair = pairs[32 * k + t]",
            "    cuda.atomic.add(out, (32 * k + t) // 4, pair.real + pair.imag)",
        ),
    ),
    Avoidance(
        "independent-thread-scheduling",
        0,
        "Lane 1 should read the question, when it has been asked",
        kernel(
            "talk(question, answer, out)",
            T,
            "if t == 1:",
            "    early = question[0]",
            "    answer[0] = 42",
            "cuda.syncwarp()",
            "if t == 0:",
            "    question[0] = 6",
            "    out[0] = answer[0]",
        ),
    ),
    Avoidance(
        "cooperative-groups",
        0,
        GROUP,
        kernel(
            "odd_alone(x, out)",
            "sums, t = cuda.shared.array(4, 'int32'), cuda.threadIdx.x",
            "if t < 4: sums[t] = 0",
            "cuda.syncthreads()",
            "number = x[t]",
            "if number % 2 == 1: cuda.atomic.add(sums, t // 16, number)",
            "cuda.syncthreads()",
            "out[t] = 100 + (sums[t // 16] if number % 2 == 1 else 0)",
        ),
    ),
    Avoidance(
        "cooperative-groups",
        1,
        GROUP,
        kernel("each_32(x, out)", T, "cuda.atomic.add(out, t // 32, x[t])"),
    ),
    Avoidance(
        "parent-and-child-grids",
        0,
        "the grid that it launches make the image lighter",
        NOTHING.replace("x[0]", "x[0, 0]")
        + kernel(
            "brightens(image)",
            "for k in range(4): image[k, cuda.grid(1)] += 1",
            "if cuda.grid(1) == 0: nothing[1, 1](image)",
        ),
    ),
    Avoidance(
        "memory-across-launches",
        0,
        "a child that it launches triple them",
        NOTHING
        + kernel("hands_on(x, noted)", T, "noted[t] = t + 1", "x[t] = 3 * (t + 1)", "cuda.syncthreads()")
        + "\n    if t == 0: nothing[1, 1](x)",
    ),
    Avoidance(
        "device-runtime",
        1,
        "0 copies by the runtime, and at least 1 are asked",
        kernel("one_more(x, y)", "x[cuda.threadIdx.x] = y[cuda.threadIdx.x] + 1")
        + "\n\n"
        + NOTHING
        + kernel("copy_and_add(x, y)", ALONE, "    one_more[1, 32](x, y)", "    nothing[1, 1](x)"),
    ),
]
