"""device-runtime: wrong answers."""

ANSWERS = {
    "predictions: not filled in": """
predicted = {"tries": {"thread 0": 0}}
""",
    "predictions: a success wipes out, a block shares": """
predicted = {
    "tries": {
        "thread 0": 9, "thread 1": 9, "thread 2": 0, "thread 3": 0, "thread 4": 9, "thread 5": 9,
        "touch runs": 5,
    },
    "chain, CDP1": {"grids": 24, "error": 69},
    "chain, CDP2": {"grids": 24, "error": 65},
    "chain, CDP2, 30 may be pending": {"grids": 31, "error": 65},
    "wait_all, CDP1, synchronisation depth 3": {"succeed": 2},
}
""",
    "deal: once, at the end": """
@cuda.jit
def deal(starts, sizes, copies, out, stamps, codes):
    t = cuda.grid(1)
    if t < sizes.size:
        fill[1, sizes[t]](out, starts[t], t + 1)
        stamp[copies[t], 1](stamps, t)
        (codes[t, 1],) = cudart.cudaGetLastError()
""",
    "deal: peek, and never get": """
@cuda.jit
def deal(starts, sizes, copies, out, stamps, codes):
    t = cuda.grid(1)
    if t < sizes.size:
        fill[1, sizes[t]](out, starts[t], t + 1)
        (codes[t, 0],) = cudart.cudaPeekAtLastError()
        stamp[copies[t], 1](stamps, t)
        (codes[t, 1],) = cudart.cudaPeekAtLastError()
""",
    "deal: thread 0 asks for each": """
@cuda.jit
def deal(starts, sizes, copies, out, stamps, codes):
    t = cuda.grid(1)
    if t < sizes.size:
        fill[1, sizes[t]](out, starts[t], t + 1)
    cuda.syncthreads()
    if t == 0:
        for k in range(sizes.size):
            (codes[k, 0],) = cudart.cudaGetLastError()
    if t < sizes.size:
        stamp[copies[t], 1](stamps, t)
    cuda.syncthreads()
    if t == 0:
        for k in range(sizes.size):
            (codes[k, 1],) = cudart.cudaGetLastError()
""",
    "levels: the larger is launched": """
@cuda.jit
def levels(x, level, low, high, depth):
    while high - low > 16:
        top = largest(x, low, high)
        if cuda.threadIdx.x == 0:
            level[top] = depth
        depth += 1
        if top - low > high - top - 1:
            if cuda.threadIdx.x == 0 and low < top:
                levels[1, 32](x, level, low, top, depth)
            low = top + 1
        else:
            if cuda.threadIdx.x == 0 and top + 1 < high:
                levels[1, 32](x, level, top + 1, high, depth)
            high = top
    finish(x, level, low, high, depth)
""",
    "levels: a limit of size alone": """
@cuda.jit
def levels(x, level, low, high, depth):
    if high - low <= 32:
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
    "levels: the level does not grow in the loop": """
@cuda.jit
def levels(x, level, low, high, depth):
    while high - low > 16:
        top = largest(x, low, high)
        if cuda.threadIdx.x == 0:
            level[top] = depth
        if top - low < high - top - 1:
            if cuda.threadIdx.x == 0 and low < top:
                levels[1, 32](x, level, low, top, depth + 1)
            low = top + 1
        else:
            if cuda.threadIdx.x == 0 and top + 1 < high:
                levels[1, 32](x, level, top + 1, high, depth + 1)
            high = top
    finish(x, level, low, high, depth)
""",
    "spread: the others do not know": """
@cuda.jit
def spread(x, out, told, width):
    if cuda.threadIdx.x == 0:
        part[1, width](x, out, 64 * cuda.blockIdx.x)
    (error,) = cudart.cudaGetLastError()
    if error:
        cuda.atomic.add(told, 0, 1)
        cuda.atomic.max(told, 1, error)
        work(x, out, 64 * cuda.blockIdx.x)
""",
    "spread: the error of success is told": """
@cuda.jit
def spread(x, out, told, width):
    refused = cuda.shared.array(1, np.int32)
    if cuda.threadIdx.x == 0:
        part[1, width](x, out, 64 * cuda.blockIdx.x)
        (refused[0],) = cudart.cudaGetLastError()
        cuda.atomic.add(told, 0, 1)
        cuda.atomic.max(told, 1, refused[0])
    cuda.syncthreads()
    if refused[0]:
        work(x, out, 64 * cuda.blockIdx.x)
""",
    "histogram: a stream for each": """
@cuda.jit
def histogram(x, counts, top):
    if cuda.threadIdx.x == 0:
        _, a = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
        _, b = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
        cudart.cudaMemsetAsync(counts, 0, 4 * counts.size)
        tally[(x.size + 31) // 32, 32, a](x, counts)
        highest[1, 32, b](counts, top)
""",
    "histogram: the highest before the tally": """
@cuda.jit
def histogram(x, counts, top):
    if cuda.threadIdx.x == 0:
        cudart.cudaMemsetAsync(counts, 0, 4 * counts.size)
        highest[1, 32](counts, top)
        tally[(x.size + 31) // 32, 32](x, counts)
""",
    "histogram: every thread launches": """
@cuda.jit
def histogram(x, counts, top):
    cudart.cudaMemsetAsync(counts, 0, 4 * counts.size)
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        tally[(x.size + 31) // 32, 32](x, counts)
        highest[1, 32](counts, top)
""",
    "spread: no barrier": """
@cuda.jit
def spread(x, out, told, width):
    refused = cuda.shared.array(1, np.int32)
    low = 64 * cuda.blockIdx.x
    if cuda.threadIdx.x == 0:
        part[1, width](x, out, low)
        (refused[0],) = cudart.cudaGetLastError()
        if refused[0] != 0:
            cuda.atomic.add(told, 0, 1)
            cuda.atomic.max(told, 1, refused[0])
    if refused[0] != 0:
        work(x, out, low)
""",
    "spread: a barrier only where the width is wrong": """
@cuda.jit
def spread(x, out, told, width):
    refused = cuda.shared.array(1, np.int32)
    if cuda.threadIdx.x == 0:
        part[1, width](x, out, 64 * cuda.blockIdx.x)
        (refused[0],) = cudart.cudaGetLastError()
        if refused[0]:
            cuda.atomic.add(told, 0, 1)
            cuda.atomic.max(told, 1, refused[0])
    if width < 1 or width > 1024:
        cuda.syncthreads()
    if refused[0]:
        work(x, out, 64 * cuda.blockIdx.x)
""",
}
