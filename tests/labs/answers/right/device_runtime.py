"""device-runtime: right answers in other forms."""

ANSWERS = {
    "predictions: other numbers for the same": """
predicted = {
    "tries": {
        "thread 0": 0.0, "thread 1": np.int64(0), "thread 2": 9,
        "thread 3": 9.0, "thread 4": 0, "thread 5": 0,
        "touch runs": 4,
    },
    "chain, CDP1": {"grids": 25.0, "error": 65},
    "chain, CDP2": {"grids": 40, "error": 0},
    "chain, CDP2, 30 may be pending": {"grids": 30, "error": 69},
    "wait_all, CDP1, synchronisation depth 3": {"succeed": 3},
}
""",
    "deal: peek, then get": """
@cuda.jit
def deal(starts, sizes, copies, out, stamps, codes):
    t = cuda.grid(1)
    if t >= sizes.size:
        return
    fill[1, sizes[t]](out, starts[t], t + 1)
    (codes[t, 0],) = cudart.cudaPeekAtLastError()
    cudart.cudaGetLastError()
    stamp[copies[t], 1](stamps, t)
    (codes[t, 1],) = cudart.cudaPeekAtLastError()
    cudart.cudaGetLastError()
""",
    "deal: the stamp first": """
@cuda.jit
def deal(starts, sizes, copies, out, stamps, codes):
    t = cuda.grid(1)
    if t < sizes.size:
        stamp[copies[t], 1](stamps, t)
        error = cudart.cudaGetLastError()
        codes[t, 1] = error[0]
        fill[1, sizes[t]](out, starts[t], t + 1)
        error = cudart.cudaGetLastError()
        codes[t, 0] = error[0]
""",
    "deal: a function that asks": """
@cuda.jit(device=True)
def asked():
    (error,) = cudart.cudaGetLastError()
    return error


@cuda.jit
def deal(starts, sizes, copies, out, stamps, codes):
    for t in range(cuda.grid(1), sizes.size, cuda.gridsize(1)):
        fill[1, sizes[t]](out, starts[t], t + 1)
        codes[t, 0] = asked()
        stamp[copies[t], 1](stamps, t)
        codes[t, 1] = asked()
""",
    "deal: streams of its own": """
@cuda.jit
def deal(starts, sizes, copies, out, stamps, codes):
    t = cuda.grid(1)
    if t < sizes.size:
        _, own = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
        fill[1, sizes[t], own](out, starts[t], t + 1)
        (codes[t, 0],) = cudart.cudaGetLastError()
        stamp[copies[t], 1, own](stamps, t)
        (codes[t, 1],) = cudart.cudaGetLastError()
        cudart.cudaStreamDestroy(own)
""",
    "levels: parts too small are finished here": """
@cuda.jit
def levels(x, level, low, high, depth):
    while high - low > 32:
        top = largest(x, low, high)
        level[top] = depth
        depth += 1
        first, last = top + 1, high
        if top - low < high - top - 1:
            first, last = low, top
            low = top + 1
        else:
            high = top
        if last - first > 16:
            if cuda.threadIdx.x == 0:
                levels[1, 32](x, level, first, last, depth)
        else:
            finish(x, level, first, last, depth)
    finish(x, level, low, high, depth)
""",
    "levels: with a stream for each launch": """
@cuda.jit
def levels(x, level, low, high, depth):
    while high - low > 16:
        top = largest(x, low, high)
        if cuda.threadIdx.x == 31:
            level[top] = depth
            _, own = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
            if 0 < top - low < high - top - 1:
                levels[1, 32, own](x, level, low, top, depth + 1)
            elif top - low >= high - top - 1 > 0:
                levels[1, 32, own](x, level, top + 1, high, depth + 1)
        if top - low < high - top - 1:
            low = top + 1
        else:
            high = top
        depth += 1
    if high > low:
        finish(x, level, low, high, depth)
""",
    "levels: the smaller on the right if both are equal": """
@cuda.jit
def levels(x, level, low, high, depth):
    t = cuda.threadIdx.x
    while high - low >= 20:
        top = largest(x, low, high)
        if t == 0:
            level[top] = depth
        depth = depth + 1
        if high - (top + 1) <= top - low:
            if t == 0 and top + 1 != high:
                levels[1, 32](x, level, top + 1, high, depth)
            high = top
        else:
            if t == 0 and top != low:
                levels[1, 32](x, level, low, top, depth)
            low = top + 1
    finish(x, level, low, high, depth)
""",
    "spread: told by a vote": """
@cuda.jit
def spread(x, out, told, width):
    low = 64 * cuda.blockIdx.x
    error = 0
    if cuda.threadIdx.x == 0:
        part[1, width](x, out, low)
        (error,) = cudart.cudaGetLastError()
        if error:
            cuda.atomic.add(told, 0, 1)
            cuda.atomic.max(told, 1, error)
    if cuda.syncthreads_or(np.int32(error != 0)):
        work(x, out, low)
""",
    "spread: the last thread launches": """
@cuda.jit
def spread(x, out, told, width):
    state = cuda.shared.array(1, np.int64)
    if cuda.threadIdx.x == cuda.blockDim.x - 1:
        part[1, width](x, out, 64 * cuda.blockIdx.x)
        error = cudart.cudaPeekAtLastError()
        state[0] = error[0]
        cudart.cudaGetLastError()
    cuda.syncthreads()
    if state[0] != 0:
        work(x, out, 64 * cuda.blockIdx.x)
        if cuda.threadIdx.x == 0:
            cuda.atomic.add(told, 0, 1)
            cuda.atomic.max(told, 1, state[0])
""",
    "spread: peek": """
@cuda.jit
def spread(x, out, told, width):
    first = cuda.threadIdx.x == 0
    failed = cuda.shared.array(1, np.int32)
    if first:
        part[1, width](x, out, 64 * cuda.blockIdx.x)
        failed[0] = cudart.cudaGetLastError()[0]
    cuda.syncthreads()
    if failed[0] == 0:
        return
    work(x, out, 64 * cuda.blockIdx.x)
    if first:
        cuda.atomic.max(told, 1, failed[0])
        cuda.atomic.add(told, 0, 1)
""",
    "histogram: tail launches": """
@cuda.jit
def histogram(x, counts, top):
    if cuda.threadIdx.x == 0:
        cudart.cudaMemsetAsync(counts, 0, counts.size * 4, cudart.cudaStreamTailLaunch)
        tally[(x.size + 63) // 64, 64, cudart.cudaStreamTailLaunch](x, counts)
        highest[1, 8, cudart.cudaStreamTailLaunch](counts, top)
""",
    "histogram: two streams and an event": """
@cuda.jit
def histogram(x, counts, top):
    if cuda.threadIdx.x == 1:
        _, a = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
        _, b = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
        _, done = cudart.cudaEventCreateWithFlags(cudart.cudaEventDisableTiming)
        cudart.cudaMemsetAsync(counts, 0, 32, a)
        tally[1, x.size, a](x, counts)
        cudart.cudaEventRecord(done, a)
        cudart.cudaStreamWaitEvent(b, done, 0)
        highest[1, 32, b](counts, top)
""",
    "histogram: the last by a tail launch": """
@cuda.jit
def histogram(x, counts, top):
    if cuda.grid(1) == 0:
        highest[1, counts.size, cudart.cudaStreamTailLaunch](counts, top)
        cudart.cudaMemsetAsync(counts, 0, 32)
        tally[-(-x.size // 256), 256](x, counts)
""",
    "levels: small parts are finished at once": """
@cuda.jit
def levels(x, level, low, high, depth):
    while high - low > 32:
        top = largest(x, low, high)
        if cuda.threadIdx.x == 0:
            level[top] = depth
        depth += 1
        left = top - low
        right = high - top - 1
        if left < right:
            if left > 32:
                if cuda.threadIdx.x == 0:
                    levels[1, 32](x, level, low, top, depth)
            else:
                finish(x, level, low, top, depth)
            low = top + 1
        else:
            if right > 32:
                if cuda.threadIdx.x == 0:
                    levels[1, 32](x, level, top + 1, high, depth)
            else:
                finish(x, level, top + 1, high, depth)
            high = top
    finish(x, level, low, high, depth)
""",
    "spread: a stream for each block": """
@cuda.jit
def spread(x, out, told, width):
    error = cuda.shared.array(1, np.int32)
    low = 64 * cuda.blockIdx.x
    if cuda.threadIdx.x == 0:
        _, own = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
        part[1, width, own](x, out, low)
        (error[0],) = cudart.cudaGetLastError()
        if error[0] != 0:
            cuda.atomic.add(told, 0, 1)
            cuda.atomic.max(told, 1, error[0])
    cuda.syncthreads()
    if error[0]:
        work(x, out, low)
""",
    "histogram: three threads launch, behind barriers": """
@cuda.jit
def histogram(x, counts, top):
    t = cuda.threadIdx.x
    if t == 0:
        cudart.cudaMemsetAsync(counts, 0, 4 * counts.size)
    cuda.syncthreads()
    if t == 1:
        tally[(x.size + 31) // 32, 32](x, counts)
    cuda.syncthreads()
    if t == 2:
        highest[1, 8](counts, top)
""",
}
