"""parent-and-child-grids: right answers in another form."""

REACH = """
@cuda.jit
def reach(some, level, distance):
    k = cuda.grid(1)
    if k < some.size:
        cuda.atomic.min(distance, some[k], level)
"""
FILL = """
@cuda.jit
def level_out(stretch, value):
    k = cuda.grid(1)
    if k < stretch.size:
        stretch[k] = value
"""
SCALE = """
@cuda.jit
def scale_all(x, total, room):
    scale[1, 32, FORGET](x, total, room, cuda.threadIdx.x)
"""
ANSWERS = {
    "predictions: floats and numbers of NumPy": """
predicted = {
    "branch[2, 4](x, 3)": {"branches": 31.0, "leaves": np.int64(32), "deepest": 4, "x[0]": 2**11},
    "branch[1, 4](x, 2)": {"branches": 5, "leaves": 5, "deepest": 3, "x[0]": 320.0},
    "parade[1, 1]": {"orders": 3},
    "parade[2, 1]": {"orders": np.int32(6)},
}
""",
    "visit: a named stream for each": REACH
    + """
@cuda.jit
def visit(first, neighbours, frontier, level, distance):
    i = cuda.grid(1)
    if i >= frontier.size:
        return
    v = frontier[i]
    n = first[v + 1] - first[v]
    if n <= 32:
        for k in range(n):
            cuda.atomic.min(distance, neighbours[first[v] + k], level)
    else:
        _, stream = cudart.cudaStreamCreateWithFlags(NON_BLOCKING)
        reach[1 + (n - 1) // 64, 64, stream](neighbours[first[v] : first[v + 1]], level, distance)
        cudart.cudaStreamDestroy(stream)
""",
    "visit: the child finds its part": """
@cuda.jit
def reach_of(v, first, neighbours, level, distance):
    k = first[v] + cuda.grid(1)
    if k < first[v + 1]:
        cuda.atomic.min(distance, neighbours[k], level)


@cuda.jit
def visit(first, neighbours, frontier, level, distance):
    i = cuda.grid(1)
    if i < frontier.size:
        v = frontier[i]
        n = first[v + 1] - first[v]
        if n > 32:
            reach_of[(n + 63) // 64, 64, FORGET](v, first, neighbours, level, distance)
        else:
            for k in range(first[v], first[v + 1]):
                cuda.atomic.min(distance, neighbours[k], level)
""",
    "visit: the child looks before it writes": """
@cuda.jit
def reach(some, level, distance):
    k = cuda.blockIdx.x * 64 + cuda.threadIdx.x
    if k < len(some) and level < distance[some[k]]:
        cuda.atomic.min(distance, some[k], level)


@cuda.jit
def visit(first, neighbours, frontier, level, distance):
    i = cuda.grid(1)
    if i < len(frontier):
        v = frontier[i]
        some = neighbours[first[v] : first[v + 1]]
        if len(some) > 32:
            blocks = len(some) // 64
            if len(some) % 64:
                blocks += 1
            reach[blocks, 64, FORGET](some, level, distance)
        else:
            for k in range(len(some)):
                cuda.atomic.min(distance, some[k], level)
""",
    "settle: halves": FILL
    + """
@cuda.jit
def settle(knots, out, asked, first, size):
    t = cuda.threadIdx.x
    if size == 64:
        out[first + t] = height(knots, first + t, asked)
    elif t < 2:
        begin = first + t * (size // 2)
        low, high = height(knots, begin, asked), height(knots, begin + size // 2 - 1, asked)
        if low < high:
            settle[1, 64, FORGET](knots, out, asked, begin, size // 2)
        else:
            level_out[size // 128, 64, FORGET](out[begin : begin + size // 2], low)
""",
    "settle: the block asks for itself first": """
@cuda.jit
def settle(knots, out, asked, first, size):
    t = cuda.threadIdx.x
    ends = cuda.shared.array(2, np.int32)
    if t < 2:
        ends[t] = height(knots, first + t * (size - 1), asked)
    cuda.syncthreads()
    if ends[0] == ends[1]:
        for k in range(t, size, 64):
            out[first + k] = ends[0]
    elif size <= 64:
        out[first + t] = height(knots, first + t, asked)
    elif t < 4:
        settle[1, 64](knots, out, asked, first + t * (size // 4), size // 4)
""",
    "settle: one thread launches, in the default stream": FILL
    + """
@cuda.jit
def settle(knots, out, asked, first, size):
    t = cuda.threadIdx.x
    if size <= 64:
        out[first + t] = height(knots, first + t, asked)
        return
    if t == 0:
        for begin in range(first, first + size, size // 4):
            low = height(knots, begin, asked)
            if low == height(knots, begin + size // 4 - 1, asked):
                level_out[1 + size // 256, 64](out[begin : begin + size // 4], low)
            else:
                settle[1, 64](knots, out, asked, begin, size // 4)
""",
    "normalise: one thread launches all": SCALE
    + """
@cuda.jit
def normalise(x, total, room):
    if cuda.threadIdx.x == 0:
        scale_first = 0
        invert[1, 1, TAIL](total)
        scale_all[1, 4, TAIL](x, total, room)
        for quarter in range(scale_first, 4):
            part[1, 32, FORGET](x, total, room, quarter)
""",
    "normalise: named streams": """
@cuda.jit
def scale_all(x, total, room):
    _, stream = cudart.cudaStreamCreateWithFlags(NON_BLOCKING)
    scale[1, 32, stream](x, total, room, cuda.blockIdx.x)


@cuda.jit
def normalise(x, total, room):
    _, stream = cudart.cudaStreamCreateWithFlags(NON_BLOCKING)
    part[1, 32, stream](x, total, room, cuda.threadIdx.x)
    if cuda.threadIdx.x == 3:
        invert[1, 1, TAIL](total)
        scale_all[4, 1, TAIL](x, total, room)
""",
    "normalise: a tail of a tail": SCALE
    + """
@cuda.jit
def second(x, total, room):
    invert[1, 1](total)
    scale_all[1, 4, TAIL](x, total, room)


@cuda.jit
def normalise(x, total, room):
    t = cuda.threadIdx.x
    if t == 0:
        second[1, 1, TAIL](x, total, room)
    part[1, 64, FORGET](x, total, room, t)
""",
    "normalise: events": """
@cuda.jit
def normalise(x, total, room):
    if cuda.threadIdx.x == 0:
        _, main = cudart.cudaStreamCreateWithFlags(NON_BLOCKING)
        for quarter in range(4):
            _, a = cudart.cudaStreamCreateWithFlags(NON_BLOCKING)
            _, done = cudart.cudaEventCreateWithFlags(cudart.cudaEventDisableTiming)
            part[1, 32, a](x, total, room, quarter)
            cudart.cudaEventRecord(done, a)
            cudart.cudaStreamWaitEvent(main, done)
        invert[1, 1, main](total)
        _, ready = cudart.cudaEventCreateWithFlags(cudart.cudaEventDisableTiming)
        cudart.cudaEventRecord(ready, main)
        for quarter in range(4):
            _, a = cudart.cudaStreamCreateWithFlags(NON_BLOCKING)
            cudart.cudaStreamWaitEvent(a, ready)
            scale[1, 32, a](x, total, room, quarter)
""",
    "normalise: each phase has a tail of its own": """
@cuda.jit
def second(x, total, room):
    t = cuda.threadIdx.x
    if t == 0:
        invert[1, 1, FORGET](total)
        third[1, 4, TAIL](x, total, room)


@cuda.jit
def third(x, total, room):
    scale[1, 32, FORGET](x, total, room, cuda.threadIdx.x)


@cuda.jit
def normalise(x, total, room):
    t = cuda.threadIdx.x
    if t == 3:
        second[1, 32, TAIL](x, total, room)
    part[1, 32, FORGET](x, total, room, t)
""",
    "settle: named streams": """
@cuda.jit
def level_out(stretch, value):
    for k in range(cuda.threadIdx.x, stretch.size, 64):
        stretch[k] = value


@cuda.jit
def settle(knots, out, asked, first, size):
    t = cuda.threadIdx.x
    if size <= 64:
        if t < size:
            out[first + t] = height(knots, first + t, asked)
    elif t < 4:
        part = size // 4
        begin = first + t * part
        low, high = height(knots, begin, asked), height(knots, begin + part - 1, asked)
        _, s = cudart.cudaStreamCreateWithFlags(NON_BLOCKING)
        if low == high:
            level_out[1, 64, s](out[begin : begin + part], low)
        else:
            settle[1, 64, s](knots, out, asked, begin, part)
""",
    "settle: sixteen parts": """
@cuda.jit
def level_out(stretch, value):
    k = cuda.grid(1)
    if k < stretch.size:
        stretch[k] = value


@cuda.jit
def settle(knots, out, asked, first, size):
    part = max(64, size // 16)
    begin = first + part * cuda.threadIdx.x
    if size <= 64:
        out[first + cuda.threadIdx.x] = height(knots, first + cuda.threadIdx.x, asked)
    elif begin < first + size:
        low = height(knots, begin, asked)
        if low == height(knots, begin + part - 1, asked):
            level_out[part // 64, 64, FORGET](out[begin : begin + part], low)
        else:
            settle[1, 64, FORGET](knots, out, asked, begin, part)
""",
    "settle: up to the first place of the next stretch": FILL
    + """
@cuda.jit
def settle(knots, out, asked, first, size):
    t = cuda.threadIdx.x
    if size <= 64:
        out[first + t] = height(knots, first + t, asked)
        return
    ends = cuda.shared.array(5, np.int32)
    part = size // 4
    if t < 5:
        ends[t] = height(knots, min(first + t * part, first + size - 1), asked)
    cuda.syncthreads()
    if t < 4:
        begin = first + t * part
        if ends[t] == ends[t + 1]:
            level_out[part // 64, 64, FORGET](out[begin : begin + part], ends[t])
        else:
            settle[1, 64, FORGET](knots, out, asked, begin, part)
""",
    "normalise: two tails, launched by two threads in turn": SCALE
    + """
@cuda.jit
def normalise(x, total, room):
    t = cuda.threadIdx.x
    part[1, 32, FORGET](x, total, room, t)
    if t == 3:
        invert[1, 1, TAIL](total)
    cuda.syncthreads()
    if t == 0:
        scale_all[1, 4, TAIL](x, total, room)
""",
}
