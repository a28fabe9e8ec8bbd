"""device-runtime: cheats."""

from tests.labs.answers.forged import FORGED

ANSWERS = {
    "predictions: equal to everything": FORGED
    + """
predicted = {row: dict.fromkeys(
    (*(f"thread {t}" for t in range(6)), "touch runs", "grids", "error", "succeed"),
    Anything()) for row in (
    "tries", "chain, CDP1", "chain, CDP2", "chain, CDP2, 30 may be pending",
    "wait_all, CDP1, synchronisation depth 3")}
""",
    "predictions: other kernels": """
@cuda.jit
def tries(codes, ran):
    codes[cuda.threadIdx.x] = 0


predicted = {
    "tries": {
        "thread 0": 0, "thread 1": 0, "thread 2": 0, "thread 3": 0, "thread 4": 0, "thread 5": 0,
        "touch runs": 0,
    },
}
""",
    "deal: sizes in place of asking": """
@cuda.jit
def deal(starts, sizes, copies, out, stamps, codes):
    t = cuda.grid(1)
    if t < sizes.size:
        fill[1, sizes[t]](out, starts[t], t + 1)
        stamp[copies[t], 1](stamps, t)
        codes[t, 0] = 9 if sizes[t] == 0 or sizes[t] > 1024 else 0
        codes[t, 1] = 9 if copies[t] == 0 else 0
        cudart.cudaGetLastError()
""",
    "deal: only what cannot fail": """
@cuda.jit
def deal(starts, sizes, copies, out, stamps, codes):
    t = cuda.grid(1)
    if t < sizes.size:
        if 0 < sizes[t] < 1025:
            fill[1, sizes[t]](out, starts[t], t + 1)
        else:
            codes[t, 0] = 9
        if copies[t] > 0:
            stamp[copies[t], 1](stamps, t)
        else:
            codes[t, 1] = 9
""",
    "deal: without launches": """
@cuda.jit
def deal(starts, sizes, copies, out, stamps, codes):
    t = cuda.grid(1)
    if t < sizes.size:
        if sizes[t] == 0 or sizes[t] > 1024:
            codes[t, 0] = 9
        else:
            for i in range(starts[t], starts[t] + sizes[t]):
                out[i] = t + 1
        if copies[t] == 0:
            codes[t, 1] = 9
        else:
            stamps[t] = 1
""",
    "deal: again until it works": """
@cuda.jit
def deal(starts, sizes, copies, out, stamps, codes):
    t = cuda.grid(1)
    if t < sizes.size:
        fill[1, sizes[t]](out, starts[t], t + 1)
        (codes[t, 0],) = cudart.cudaGetLastError()
        if codes[t, 0]:
            fill[1, min(sizes[t], 1024)](out, starts[t], t + 1)
            (codes[t, 0],) = cudart.cudaGetLastError()
        stamp[copies[t], 1](stamps, t)
        (codes[t, 1],) = cudart.cudaGetLastError()
""",
    "levels: all by one grid": """
@cuda.jit
def levels(x, level, low, high, depth):
    finish(x, level, low, high, depth)
""",
    "levels: a loop without launches": """
@cuda.jit
def levels(x, level, low, high, depth):
    for i in range(low + cuda.threadIdx.x, high, 32):
        above = depth
        a, b, place = low, high, -1
        while place != i:
            place = a
            for j in range(a, b):
                if x[j] > x[place]:
                    place = j
            if place < i:
                a = place + 1
            elif place > i:
                b = place
            if place != i:
                above += 1
        level[i] = above
""",
    "levels: deep parts are finished, however large": """
@cuda.jit
def levels(x, level, low, high, depth):
    if high - low <= 32 or depth >= 5:
        finish(x, level, low, high, depth)
        return
    top = largest(x, low, high)
    if cuda.threadIdx.x == 0:
        level[top] = depth
        if low < top:
            levels[1, 32](x, level, low, top, depth + 1)
        if top + 1 < high:
            levels[1, 32](x, level, top + 1, high, depth + 1)
""",
    "levels: grids of nothing": """
@cuda.jit
def levels(x, level, low, high, depth):
    if high - low > 64 and cuda.threadIdx.x == 0:
        levels[1, 32](x, level, low, low + 1, depth)
        levels[1, 32](x, level, low, low + 1, depth)
        levels[1, 32](x, level, low, low + 1, depth)
    finish(x, level, low, high, depth)
""",
    "spread: everything by the blocks": """
@cuda.jit
def spread(x, out, told, width):
    work(x, out, 64 * cuda.blockIdx.x)
""",
    "spread: both, and stored": """
@cuda.jit
def spread(x, out, told, width):
    low = 64 * cuda.blockIdx.x
    if cuda.threadIdx.x == 0:
        part[1, width](x, out, low)
        (error,) = cudart.cudaGetLastError()
        if error:
            cuda.atomic.add(told, 0, 1)
            cuda.atomic.max(told, 1, error)
            for i in range(low, low + 64):
                out[i] += x[i] * x[i]
""",
    "spread: smaller children": """
@cuda.jit
def spread(x, out, told, width):
    if cuda.threadIdx.x == 0:
        part[1, 32, cudart.cudaStreamFireAndForget](x, out, 64 * cuda.blockIdx.x)
        if width == 0 or width > 1024:
            cuda.atomic.add(told, 0, 1)
            cuda.atomic.max(told, 1, 9)
""",
    "histogram: all by the block": """
@cuda.jit
def histogram(x, counts, top):
    i = cuda.threadIdx.x
    if i < counts.size:
        counts[i] = 0
    cuda.syncthreads()
    for k in range(i, x.size, cuda.blockDim.x):
        cuda.atomic.add(counts, x[k], 1)
    cuda.syncthreads()
    if i < counts.size:
        cuda.atomic.max(top, 0, counts[i])
""",
    "histogram: set by hand, then the rest": """
@cuda.jit
def histogram(x, counts, top):
    if cuda.threadIdx.x == 0:
        for k in range(counts.size):
            counts[k] = 0
        tally[(x.size + 31) // 32, 32](x, counts)
        highest[1, 32](counts, top)
""",
    "histogram: a set of nothing": """
@cuda.jit
def histogram(x, counts, top):
    if cuda.threadIdx.x < counts.size:
        counts[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        cudart.cudaMemsetAsync(counts, 0, 0)
        tally[(x.size + 31) // 32, 32](x, counts)
        highest[1, 32](counts, top)
""",
    "deal: counts up to the limit": """
@cuda.jit
def deal(starts, sizes, copies, out, stamps, codes):
    t = cuda.grid(1)
    if t < sizes.size:
        fill[1, sizes[t]](out, starts[t], t + 1)
        stamp[copies[t], 1](stamps, t)
    cuda.syncthreads()
    if t == 0:
        room = cudart.cudaDeviceGetLimit(PENDING)[1] - 1
        for i in range(sizes.size):
            codes[i, 0] = 9 if sizes[i] == 0 or sizes[i] > 1024 else 0
            codes[i, 1] = 9 if copies[i] == 0 else 0
        for k in range(2):
          for i in range(sizes.size):
            if codes[i, k] == 0:
                if room > 0:
                    room -= 1
                else:
                    codes[i, k] = 69
""",
    "deal: thread 0 launches for all, and counts": """
@cuda.jit
def deal(starts, sizes, copies, out, stamps, codes):
    if cuda.grid(1) == 0:
        room = cudart.cudaDeviceGetLimit(PENDING)[1] - 1
        for t in range(sizes.size):
            fill[1, sizes[t]](out, starts[t], t + 1)
            if sizes[t] == 0 or sizes[t] > 1024:
                codes[t, 0] = 9
            elif room > 0:
                room -= 1
            else:
                codes[t, 0] = 69
            stamp[copies[t], 1](stamps, t)
            if copies[t] == 0:
                codes[t, 1] = 9
            elif room > 0:
                room -= 1
            else:
                codes[t, 1] = 69
""",
    "levels: a launch of one number, the rest in one thread": """
@cuda.jit
def levels(x, level, low, high, depth):
    if cuda.threadIdx.x == 0:
        if depth == 0 and high - low >= 96:
            levels[1, 32](x, level, low, low + 1, 1)
            cudart.cudaGetLastError()
        if depth == 0:
            chain_ = cuda.local.array(1024, np.int32)
            size = 0
            for i in range(low, high):
                last = -1
                while size > 0 and x[chain_[size - 1]] < x[i]:
                    size -= 1
                chain_[size] = i
                size += 1
                level[i] = size - 1
            size = 0
            for i in range(high - 1, low - 1, -1):
                while size > 0 and x[chain_[size - 1]] < x[i]:
                    size -= 1
                chain_[size] = i
                size += 1
                level[i] += size - 1
""",
    "levels: one launch, the rest from a stack": """
@cuda.jit
def levels(x, level, low, high, depth):
    stack = cuda.local.array((64, 3), np.int32)
    stack[0, 0], stack[0, 1], stack[0, 2] = low, high, depth
    size = 1
    given = depth > 0
    while size > 0:
        size -= 1
        a, b, d = stack[size, 0], stack[size, 1], stack[size, 2]
        if b - a <= 32:
            finish(x, level, a, b, d)
        else:
            top = largest(x, a, b)
            if cuda.threadIdx.x == 0:
                level[top] = d
            l0, l1, s0, s1 = a, top, top + 1, b
            if top - a < b - top - 1:
                l0, l1, s0, s1 = top + 1, b, a, top
            stack[size, 0], stack[size, 1], stack[size, 2] = l0, l1, d + 1
            size += 1
            if not given and s1 > s0:
                given = True
                if cuda.threadIdx.x == 0:
                    levels[1, 32](x, level, s0, s1, d + 1)
            else:
                stack[size, 0], stack[size, 1], stack[size, 2] = s0, s1, d + 1
                size += 1
""",
    "spread: counts up to the limit": """
@cuda.jit
def spread(x, out, told, width):
    mine = cuda.shared.array(1, np.int32)
    if cuda.threadIdx.x == 0:
        part[1, width](x, out, 64 * cuda.blockIdx.x)
        room = cudart.cudaDeviceGetLimit(PENDING)[1] - 1
        mine[0] = 0
        if width <= 0 or width > 1024:
            mine[0] = 9
        elif cuda.blockIdx.x >= room:
            mine[0] = 69
        if mine[0]:
            cuda.atomic.add(told, 0, 1)
            cuda.atomic.max(told, 1, mine[0])
    cuda.syncthreads()
    if mine[0]:
        work(x, out, 64 * cuda.blockIdx.x)
""",
    "spread: launches that are not counted": """
@cuda.jit
def spread(x, out, told, width):
    if cuda.threadIdx.x == 0:
        part[1, 64, cudart.cudaStreamFireAndForget](x, out, 64 * cuda.blockIdx.x)
        if cuda.blockIdx.x >= 15:
            cuda.atomic.add(told, 0, 1)
            cuda.atomic.max(told, 1, 69)
""",
    "deal: own children clear the codes": """
@cuda.jit
def fill2(out, start, tag, codes, t):
    out[start + cuda.threadIdx.x] = tag
    codes[t, 0] = 0
@cuda.jit
def stamp2(stamps, t, codes):
    stamps[t] = 1
    codes[t, 1] = 0
@cuda.jit
def deal(starts, sizes, copies, out, stamps, codes):
    t = cuda.grid(1)
    if t < sizes.size:
        n = sizes[t]
        codes[t, 0] = 9 if n == 0 or n > 1024 else 69
        codes[t, 1] = 9 if copies[t] == 0 else 69
        fill2[1, n](out, starts[t], t + 1, codes, t)
        stamp2[copies[t], 1](stamps, t, codes)
""",
    "deal: own children of the same names": """
_f, _s = fill, stamp
@cuda.jit
def fill(out, start, tag, codes, t):
    out[start + cuda.threadIdx.x] = tag
    codes[t, 0] = 0
@cuda.jit
def stamp(stamps, t, codes):
    stamps[t] = 1
    codes[t, 1] = 0
f2, s2 = fill, stamp
fill, stamp = _f, _s
@cuda.jit
def deal(starts, sizes, copies, out, stamps, codes):
    t = cuda.grid(1)
    if t < sizes.size:
        n = sizes[t]
        codes[t, 0] = 9 if n == 0 or n > 1024 else 69
        codes[t, 1] = 9 if copies[t] == 0 else 69
        f2[1, n](out, starts[t], t + 1, codes, t)
        s2[copies[t], 1](stamps, t, codes)
""",
    "deal: a tail launch of the same name": """
@cuda.jit
def deal(starts, sizes, copies, out, stamps, codes):
    t = cuda.grid(1)
    codes[t, 0] = 0
d2 = deal
@cuda.jit
def deal(starts, sizes, copies, out, stamps, codes):
    t = cuda.grid(1)
    if t < sizes.size:
        fill[1, sizes[t]](out, starts[t], t + 1)
        stamp[copies[t], 1](stamps, t)
        if t == 0:
            d2[1, 1, cudart.cudaStreamTailLaunch](starts, sizes, copies, out, stamps, codes)
""",
    "levels: all by one child": """
@cuda.jit
def levels(x, level, low, high, depth):
    if depth == 0 and x.size >= 96:
        if cuda.threadIdx.x == 0:
            levels[1, 32](x, level, low, high, 1)
    else:
        n = x.size
        for i in range(cuda.threadIdx.x, n, 32):
            d = 0
            m = x[i]
            for s in range(1 + i, n):
                if m < x[s]:
                    d += 1
                    m = x[s]
            m = x[i]
            for s in range(i - 1, -1, -1):
                if m < x[s]:
                    d += 1
                    m = x[s]
            level[i] = d
""",
    "levels: slices that are searched through": """
@cuda.jit
def levels(x, level, low, high, depth):
    n = x.size
    if depth == 0 and n >= 96:
        if cuda.threadIdx.x == 0:
            for c in range(n // 32):
                levels[1, 32](x, level, 32 * c, min(n, 32 * c + 32) if c < n // 32 - 1 else n, 1)
    else:
        for i in range(low + cuda.threadIdx.x, high, 32):
            d = 0
            m = x[i]
            for s in range(1 + i, n):
                if m < x[s]:
                    d += 1
                    m = x[s]
            m = x[i]
            for s in range(i - 1, -1, -1):
                if m < x[s]:
                    d += 1
                    m = x[s]
            level[i] = d
""",
    "levels: idle children in the right places": """
@cuda.jit
def levels(x, level, low, high, depth):
    whole = depth == 0
    if whole:
        a, b = low, high
        while b - a > 32:
            top = largest(x, a, b)
            if cuda.threadIdx.x == 0:
                if 32 < top - a <= b - top - 1:
                    levels[1, 32](x, level, a, top, depth + 1)
                if 32 < b - top - 1 <= top - a:
                    levels[1, 32](x, level, top + 1, b, depth + 1)
            if top - a < b - top - 1:
                a = top + 1
            else:
                b = top
        for i in range(low + cuda.threadIdx.x, high, 32):
            d = 0
            m = x[i]
            for s in range(1 + i, high):
                if m < x[s]:
                    d += 1
                    m = x[s]
            m = x[i]
            for s in range(i - 1, -1, -1):
                if m < x[s]:
                    d += 1
                    m = x[s]
            level[i] = d
""",
    "spread: the first child does all": """
@cuda.jit
def part2(x, out, told, first, blocks):
    if cuda.threadIdx.x == 0:
        if first == 0:
            for i in range(64 * blocks):
                out[i] = x[i] * x[i]
        cuda.atomic.sub(told, 0, 1)
        if told[0] == 0:
            told[1] = 0
@cuda.jit
def spread(x, out, told, width):
    low = 64 * cuda.blockIdx.x
    bad = width < 1 or width > 1024
    if cuda.threadIdx.x == 0:
        cuda.atomic.add(told, 0, 1)
        cuda.atomic.max(told, 1, 9 if bad else 69)
        part2[1, width](x, out, told, cuda.blockIdx.x, cuda.gridDim.x)
    if bad:
        work(x, out, low)
""",
    "histogram: a tally that does all": """
@cuda.jit
def tally(x, counts, top):
    if cuda.threadIdx.x == 0:
        for v in range(8):
            counts[v] = 0
        for i in range(x.size):
            counts[x[i]] += 1
        m = 0
        for v in range(8):
            m = max(m, counts[v])
        top[0] = m
@cuda.jit
def highest(counts, top):
    pass
@cuda.jit
def histogram(x, counts, top):
    if cuda.threadIdx.x == 0:
        _, s = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
        cudart.cudaMemsetAsync(counts, 0, 0)
        highest[1, 1, s](counts, top)
        tally[1, 1](x, counts, top)
""",
    "histogram: another tally of the same name": """
_t, _h = tally, highest
@cuda.jit
def tally(x, counts, top):
    if cuda.threadIdx.x == 0:
        for v in range(8):
            counts[v] = 0
        for i in range(x.size):
            counts[x[i]] += 1
        m = 0
        for v in range(8):
            m = max(m, counts[v])
        top[0] = m
t2 = tally
tally = _t
@cuda.jit
def histogram(x, counts, top):
    if cuda.threadIdx.x == 0:
        cudart.cudaMemsetAsync(counts, 0, 4 * counts.size)
        highest[1, 32](counts, top)
        t2[1, 1](x, counts, top)
""",
    "deal: a shape that cannot be is not asked for": """
@cuda.jit
def deal(starts, sizes, copies, out, stamps, codes):
    t = cuda.grid(1)
    if t < sizes.size:
        codes[t, 0], codes[t, 1] = 9, 9
        if 0 < sizes[t] <= 1024:
            fill[1, sizes[t]](out, starts[t], t + 1)
            (codes[t, 0],) = cudart.cudaGetLastError()
        if copies[t] > 0:
            stamp[copies[t], 1](stamps, t)
            (codes[t, 1],) = cudart.cudaGetLastError()
""",
    "deal: once more where it was refused": """
@cuda.jit
def deal(starts, sizes, copies, out, stamps, codes):
    t = cuda.grid(1)
    if t < sizes.size:
        fill[1, sizes[t]](out, starts[t], t + 1)
        (codes[t, 0],) = cudart.cudaGetLastError()
        if codes[t, 0] == 69:
            fill[1, sizes[t]](out, starts[t], t + 1)
            (codes[t, 0],) = cudart.cudaGetLastError()
        stamp[copies[t], 1](stamps, t)
        (codes[t, 1],) = cudart.cudaGetLastError()
""",
    "spread: a width that cannot be is not asked for": """
@cuda.jit
def spread(x, out, told, width):
    error = cuda.shared.array(1, np.int32)
    low = 64 * cuda.blockIdx.x
    if cuda.threadIdx.x == 0:
        error[0] = 9
        if 0 < width <= 1024:
            part[1, width](x, out, low)
            (error[0],) = cudart.cudaGetLastError()
        if error[0] != 0:
            cuda.atomic.add(told, 0, 1)
            cuda.atomic.max(told, 1, error[0])
    cuda.syncthreads()
    if error[0]:
        work(x, out, low)
""",
    "levels: both parts are launched, and at depth 4 a part is finished": """
@cuda.jit
def levels(x, level, low, high, depth):
    if high - low <= 32 or depth >= 4 and high - low > 0:
        finish(x, level, low, high, depth)
        return
    top = largest(x, low, high)
    if cuda.threadIdx.x == 0:
        level[top] = depth
        if low < top:
            levels[1, 32](x, level, low, top, depth + 1)
        if top + 1 < high:
            levels[1, 32](x, level, top + 1, high, depth + 1)
""",
}
