"""parent-and-child-grids: wrong answers."""

ANSWERS = {
    "predictions: not filled in": """
predicted = {"parade[1, 1]": {"orders": None}}
""",
    "predictions: one launch for a warp, tails anywhere": """
predicted = {
    "branch[2, 4](x, 3)": {"branches": 7, "leaves": 8, "deepest": 3, "x[0]": 512},
    "branch[1, 4](x, 2)": {"branches": 3, "leaves": 3, "deepest": 2, "x[0]": 192},
    "parade[1, 1]": {"orders": 12},
    "parade[2, 1]": {"orders": 24},
}
""",
    "visit: in the default stream": """
@cuda.jit
def reach(some, level, distance):
    k = cuda.grid(1)
    if k < some.size:
        cuda.atomic.min(distance, some[k], level)


@cuda.jit
def visit(first, neighbours, frontier, level, distance):
    i = cuda.grid(1)
    if i < frontier.size:
        begin, end = first[frontier[i]], first[frontier[i] + 1]
        if end - begin > 32:
            reach[(end - begin + 63) // 64, 64](neighbours[begin:end], level, distance)
        else:
            for k in range(begin, end):
                cuda.atomic.min(distance, neighbours[k], level)
""",
    "visit: a grid for each vertex": """
@cuda.jit
def reach(some, level, distance):
    k = cuda.grid(1)
    if k < some.size:
        cuda.atomic.min(distance, some[k], level)


@cuda.jit
def visit(first, neighbours, frontier, level, distance):
    i = cuda.grid(1)
    if i < frontier.size:
        begin, end = first[frontier[i]], first[frontier[i] + 1]
        if end > begin:
            reach[(end - begin + 63) // 64, 64, FORGET](neighbours[begin:end], level, distance)
""",
    "visit: the last block is missing": """
@cuda.jit
def reach(some, level, distance):
    k = cuda.grid(1)
    if k < some.size:
        cuda.atomic.min(distance, some[k], level)


@cuda.jit
def visit(first, neighbours, frontier, level, distance):
    i = cuda.grid(1)
    if i < frontier.size:
        begin, end = first[frontier[i]], first[frontier[i] + 1]
        if end - begin > 32:
            reach[max((end - begin) // 64, 1), 64, FORGET](neighbours[begin:end], level, distance)
        else:
            for k in range(begin, end):
                cuda.atomic.min(distance, neighbours[k], level)
""",
    "visit: bytes where the stream belongs": """
@cuda.jit
def reach(some, level, distance):
    k = cuda.grid(1)
    if k < some.size:
        cuda.atomic.min(distance, some[k], level)


@cuda.jit
def visit(first, neighbours, frontier, level, distance):
    i = cuda.grid(1)
    if i < frontier.size:
        begin, end = first[frontier[i]], first[frontier[i] + 1]
        if end - begin > 32:
            reach[(end - begin + 63) // 64, 64, 0, FORGET](neighbours[begin:end], level, distance)
        else:
            for k in range(begin, end):
                cuda.atomic.min(distance, neighbours[k], level)
""",
    "settle: only the first end is asked": """
@cuda.jit
def settle(knots, out, asked, first, size):
    for k in range(cuda.threadIdx.x, size, cuda.blockDim.x):
        out[first + k] = height(knots, first + k // 16 * 16, asked)
""",
    "settle: one thread fills a stretch": """
@cuda.jit
def settle(knots, out, asked, first, size):
    t, part = cuda.threadIdx.x, size // 4
    if size <= 64:
        out[first + t] = height(knots, first + t, asked)
    elif t < 4:
        begin = first + t * part
        low = height(knots, begin, asked)
        if low == height(knots, begin + part - 1, asked):
            for k in range(part):
                out[begin + k] = low
        else:
            settle[1, 64, FORGET](knots, out, asked, begin, part)
""",
    "settle: ends of the next stretch": """
@cuda.jit
def level_out(stretch, value):
    k = cuda.grid(1)
    if k < stretch.size:
        stretch[k] = value


@cuda.jit
def settle(knots, out, asked, first, size):
    t, part = cuda.threadIdx.x, size // 4
    if size <= 64:
        out[first + t] = height(knots, first + t, asked)
    elif t < 4:
        begin = first + t * part
        low = height(knots, begin, asked)
        if low == height(knots, begin + part // 2, asked):
            level_out[(part + 63) // 64, 64, FORGET](out[begin : begin + part], low)
        else:
            settle[1, 64, FORGET](knots, out, asked, begin, part)
""",
    "normalise: all are forgotten": """
@cuda.jit
def normalise(x, total, room):
    t = cuda.threadIdx.x
    part[1, 32, FORGET](x, total, room, t)
    if t == 0:
        invert[1, 1, FORGET](total)
    scale[1, 32, FORGET](x, total, room, t)
""",
    "normalise: every scale is a tail": """
@cuda.jit
def normalise(x, total, room):
    t = cuda.threadIdx.x
    part[1, 32, FORGET](x, total, room, t)
    if t == 0:
        invert[1, 1, TAIL](total)
    cuda.syncthreads()
    scale[1, 32, TAIL](x, total, room, t)
""",
    "normalise: it waits, as under CDP1": """
@cuda.jit
def normalise(x, total, room):
    t = cuda.threadIdx.x
    part[1, 32, FORGET](x, total, room, t)
    cudart.cudaDeviceSynchronize()
    cuda.syncthreads()
    if t == 0:
        invert[1, 1](total)
    cudart.cudaDeviceSynchronize()
    cuda.syncthreads()
    scale[1, 32, FORGET](x, total, room, t)
""",
    "normalise: invert and scale without an order": """
@cuda.jit
def rest(x, total, room):
    t = cuda.threadIdx.x
    if t == 0:
        invert[1, 1, FORGET](total)
    cuda.syncthreads()
    scale[1, 32, FORGET](x, total, room, t)


@cuda.jit
def normalise(x, total, room):
    part[1, 32, FORGET](x, total, room, cuda.threadIdx.x)
    if cuda.threadIdx.x == 0:
        rest[1, 4, TAIL](x, total, room)
""",
    "normalise: invert in the default stream, scales in others": """
@cuda.jit
def rest(x, total, room):
    t = cuda.threadIdx.x
    if t == 0:
        invert[1, 1](total)
    cuda.syncthreads()
    _, s = cudart.cudaStreamCreateWithFlags(NON_BLOCKING)
    scale[1, 32, s](x, total, room, t)


@cuda.jit
def normalise(x, total, room):
    part[1, 32, FORGET](x, total, room, cuda.threadIdx.x)
    if cuda.threadIdx.x == 0:
        rest[1, 4, TAIL](x, total, room)
""",
    "normalise: parts without an order": """
@cuda.jit
def scale_all(x, total, room):
    scale[1, 32, FORGET](x, total, room, cuda.threadIdx.x)


@cuda.jit
def normalise(x, total, room):
    part[1, 32, FORGET](x, total, room, cuda.threadIdx.x)
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        invert[1, 1](total)
        scale_all[1, 4, TAIL](x, total, room)
""",
    "visit: the children write without a minimum": """
@cuda.jit
def reach(some, level, distance):
    k = cuda.grid(1)
    if k < some.size:
        distance[some[k]] = level


@cuda.jit
def visit(first, neighbours, frontier, level, distance):
    i = cuda.grid(1)
    if i < frontier.size:
        begin, end = first[frontier[i]], first[frontier[i] + 1]
        if end - begin > 32:
            reach[(end - begin + 63) // 64, 64, FORGET](neighbours[begin:end], level, distance)
        else:
            for k in range(begin, end):
                cuda.atomic.min(distance, neighbours[k], level)
""",
    "visit: the first thread launches for the block": """
@cuda.jit
def reach(some, level, distance):
    k = cuda.grid(1)
    if k < some.size:
        cuda.atomic.min(distance, some[k], level)


@cuda.jit
def visit(first, neighbours, frontier, level, distance):
    i = cuda.grid(1)
    if cuda.threadIdx.x == 0:
        for j in range(i, min(frontier.size, i + cuda.blockDim.x)):
            begin, end = first[frontier[j]], first[frontier[j] + 1]
            if end - begin > 32:
                reach[(end - begin + 63) // 64, 64, FORGET](neighbours[begin:end], level, distance)
    if i < frontier.size:
        begin, end = first[frontier[i]], first[frontier[i] + 1]
        if end - begin <= 32:
            for k in range(begin, end):
                cuda.atomic.min(distance, neighbours[k], level)
""",
    "normalise: two tails, launched by two threads": """
@cuda.jit
def scale_all(x, total, room):
    scale[1, 32, FORGET](x, total, room, cuda.threadIdx.x)


@cuda.jit
def normalise(x, total, room):
    t = cuda.threadIdx.x
    part[1, 32, FORGET](x, total, room, t)
    if t == 0:
        invert[1, 1, TAIL](total)
    if t == 3:
        scale_all[1, 4, TAIL](x, total, room)
""",
    "settle: no barrier between asking and looking": """
@cuda.jit
def settle(knots, out, asked, first, size):
    t = cuda.threadIdx.x
    ends = cuda.shared.array(2, np.int32)
    if t < 2:
        ends[t] = height(knots, first + t * (size - 1), asked)
    if ends[0] == ends[1]:
        for k in range(t, size, 64):
            out[first + k] = ends[0]
    elif size <= 64:
        out[first + t] = height(knots, first + t, asked)
    elif t < 4:
        settle[1, 64](knots, out, asked, first + t * (size // 4), size // 4)
""",
}
