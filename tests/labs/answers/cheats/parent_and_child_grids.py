"""parent-and-child-grids: cheats."""

from tests.labs.answers.forged import FORGED

ANSWERS = {
    "predictions": FORGED
    + """
predicted = {row: dict.fromkeys(("branches", "leaves", "deepest", "x[0]", "orders"), Anything()) for row in (
    "branch[2, 4](x, 3)", "branch[1, 4](x, 2)", "parade[1, 1]", "parade[2, 1]")}
""",
    "predictions: another tree": """
@cuda.jit
def branch(x, left):
    x[0] = 0


predicted = {
    "branch[2, 4](x, 3)": {"branches": 1, "leaves": 0, "deepest": 0, "x[0]": 0},
    "branch[1, 4](x, 2)": {"branches": 1, "leaves": 0, "deepest": 0, "x[0]": 0},
}
""",
    "visit: children for show": """
@cuda.jit
def reach():
    pass


@cuda.jit
def visit(first, neighbours, frontier, level, distance):
    i = cuda.grid(1)
    if i < frontier.size:
        v = frontier[i]
        n = first[v + 1] - first[v]
        if n > 32:
            reach[(n + 63) // 64, 64, FORGET]()
        for k in range(first[v], first[v + 1]):
            cuda.atomic.min(distance, neighbours[k], level)
""",
    "visit: one child for all": """
@cuda.jit
def reach(some, level, distance):
    k = cuda.grid(1)
    if k < some.size:
        cuda.atomic.min(distance, some[k], level)


@cuda.jit
def visit(first, neighbours, frontier, level, distance):
    if cuda.grid(1) == 0:
        reach[(neighbours.size + 63) // 64, 64, FORGET](neighbours, level, distance)
""",
    "visit: a child launches all": """
@cuda.jit
def reach(some, level, distance):
    k = cuda.grid(1)
    if k < some.size:
        cuda.atomic.min(distance, some[k], level)


@cuda.jit
def again(first, neighbours, v, level, distance):
    begin, end = first[v], first[v + 1]
    reach[(end - begin + 63) // 64, 64, FORGET](neighbours[begin:end], level, distance)


@cuda.jit
def visit(first, neighbours, frontier, level, distance):
    i = cuda.grid(1)
    if i < frontier.size:
        v = frontier[i]
        if first[v + 1] - first[v] > 32:
            again[1, 1, FORGET](first, neighbours, v, level, distance)
        else:
            for k in range(first[v], first[v + 1]):
                cuda.atomic.min(distance, neighbours[k], level)
""",
    "visit: one thread of the child works": """
@cuda.jit
def reach(some, level, distance):
    if cuda.grid(1) == 0:
        for k in range(some.size):
            cuda.atomic.min(distance, some[k], level)


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
    "settle: looks at the knots": """
@cuda.jit
def settle(knots, out, asked, first, size):
    for k in range(cuda.threadIdx.x, size, cuda.blockDim.x):
        below = 0
        for j in range(knots.size):
            if knots[j] <= first + k:
                below += 1
        out[first + k] = below
""",
    "settle: looks at the knots, and asks for show": """
@cuda.jit
def settle(knots, out, asked, first, size):
    if cuda.threadIdx.x < 12:
        height(knots, first, asked)
    for k in range(cuda.threadIdx.x, size, cuda.blockDim.x):
        below = 0
        for j in range(knots.size):
            if knots[j] <= first + k:
                below += 1
        out[first + k] = below
""",
    "settle: turns the counter back": """
@cuda.jit
def settle(knots, out, asked, first, size):
    for k in range(cuda.threadIdx.x, size, cuda.blockDim.x):
        out[first + k] = height(knots, first + k, asked)
    cuda.syncthreads()
    asked[0] = 20
""",
    "settle: counts elsewhere": """
@cuda.jit
def settle(knots, out, asked, first, size):
    other = cuda.shared.array(1, np.int32)
    for k in range(cuda.threadIdx.x, size, cuda.blockDim.x):
        out[first + k] = height(knots, first + k, other)
    if cuda.threadIdx.x < 12:
        height(knots, first, asked)
""",
    "settle: another height": """
@cuda.jit(device=True)
def height(knots, i, asked):
    if i % 64 == 0:
        cuda.atomic.add(asked, 0, 1)
    k = 0
    while k < knots.size and knots[k] <= i:
        k += 1
    return k


@cuda.jit
def settle(knots, out, asked, first, size):
    for k in range(cuda.threadIdx.x, size, cuda.blockDim.x):
        out[first + k] = height(knots, first + k, asked)
""",
    "normalise: the room is painted": """
@cuda.jit
def normalise(x, total, room):
    t = cuda.threadIdx.x
    part[1, 32](x, total, room, t)
    cuda.syncthreads()
    if t == 0:
        invert[1, 1](total)
        room[1], room[3] = 4, 4
    cuda.syncthreads()
    scale[1, 32](x, total, room, t)
""",
    "normalise: the parent waits in a loop": """
@cuda.jit
def normalise(x, total, room):
    t = cuda.threadIdx.x
    part[1, 32, FORGET](x, total, room, t)
    while room[0] > 0 or total[0] == 0:
        pass
    if t == 0:
        invert[1, 1, FORGET](total)
    while total[1] == 0:
        pass
    scale[1, 32, FORGET](x, total, room, t)
""",
    "normalise: another part": """
@cuda.jit
def part(x, total, room, quarter):
    room[1], room[3] = 4, 4
    if cuda.threadIdx.x == 0:
        for i in range(quarter * (x.size // 4), (quarter + 1) * (x.size // 4)):
            cuda.atomic.add(total, 0, x[i])


@cuda.jit
def normalise(x, total, room):
    t = cuda.threadIdx.x
    part[1, 32](x, total, room, t)
    cuda.syncthreads()
    if t == 0:
        invert[1, 1](total)
    cuda.syncthreads()
    scale[1, 32](x, total, room, t)
""",
    "settle: no grid at all": """
@cuda.jit
def settle(knots, out, asked, first, size):
    t = cuda.threadIdx.x
    s = cuda.shared.array(256, np.int32)
    e = cuda.shared.array(256, np.int32)
    n = size // 64
    if size == 64:
        out[first + t] = height(knots, first + t, asked)
    else:
        for t2 in range(t, n, 64):
            s[t2] = height(knots, first + 64 * t2, asked)
            e[t2] = height(knots, first + 64 * t2 + 63, asked)
        cuda.syncthreads()
        for j in range(n):
            if s[j] == e[j]:
                out[first + 64 * j + t] = s[j]
            else:
                out[first + 64 * j + t] = height(knots, first + 64 * j + t, asked)
""",
    "settle: the comment hides the look": """
@cuda.jit
def settle(knots, out, asked, first, size):
    if cuda.threadIdx.x < 12:
        height(knots, first, asked)
    for k in range(cuda.threadIdx.x, size, cuda.blockDim.x):
        below = 0
        for j in range(knots.size):
            below += 1 if knots[j] <= first + k else 0  # the expensive part
        out[first + k] = below
""",
    "settle: atomics hide the stores": """
@cuda.jit
def level_out(stretch, value):
    each = stretch.size // 64
    for k in range(each):
        cuda.atomic.exch(stretch, cuda.threadIdx.x * each + k, value)


@cuda.jit
def settle(knots, out, asked, first, size):
    t = cuda.threadIdx.x
    if size <= 64:
        if t < size:
            out[first + t] = height(knots, first + t, asked)
    elif t < 4:
        part = size // 4
        begin = first + t * part
        low = height(knots, begin, asked)
        if low == height(knots, begin + part - 1, asked):
            level_out[1, 64, FORGET](out[begin : begin + part], low)
        else:
            settle[1, 64, FORGET](knots, out, asked, begin, part)
""",
    "settle: empty grids for show": """
@cuda.jit
def nothing():
    pass


@cuda.jit
def settle(knots, out, asked, first, size):
    t = cuda.threadIdx.x
    s = cuda.shared.array(256, np.int32)
    e = cuda.shared.array(256, np.int32)
    n = size // 64
    if t < 4:
        nothing[1, 1]()
    if size == 64:
        out[first + t] = height(knots, first + t, asked)
    else:
        for t2 in range(t, n, 64):
            s[t2] = height(knots, first + 64 * t2, asked)
            e[t2] = height(knots, first + 64 * t2 + 63, asked)
        cuda.syncthreads()
        for j in range(n):
            if s[j] == e[j]:
                out[first + 64 * j + t] = s[j]
            else:
                out[first + 64 * j + t] = height(knots, first + 64 * j + t, asked)
""",
    "visit: half of the child's threads": """
@cuda.jit
def reach(some, level, distance):
    first = cuda.blockIdx.x * 64
    if cuda.threadIdx.x < 32:
        for k in range(first + cuda.threadIdx.x, min(some.size, first + 64), 32):
            cuda.atomic.min(distance, some[k], level)


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
    "visit: all tails": """
@cuda.jit
def reach(mine, level, distance):
    k = cuda.grid(1)
    if k < mine.size:
        cuda.atomic.min(distance, mine[k], level)


@cuda.jit
def visit(first, neighbours, frontier, level, distance):
    i = cuda.grid(1)
    if i < frontier.size:
        v = frontier[i]
        n = first[v + 1] - first[v]
        if n > 32:
            reach[(n + 63) // 64, 64, TAIL](neighbours[first[v] : first[v + 1]], level, distance)
        else:
            for k in range(first[v], first[v + 1]):
                cuda.atomic.min(distance, neighbours[k], level)
""",
    "visit: one named stream for the block": """
@cuda.jit
def reach(mine, level, distance):
    k = cuda.grid(1)
    if k < mine.size:
        cuda.atomic.min(distance, mine[k], level)


@cuda.jit
def visit(first, neighbours, frontier, level, distance):
    i = cuda.grid(1)
    box = cuda.shared.array(1, np.int64)
    if cuda.threadIdx.x == 0:
        _, stream = cudart.cudaStreamCreateWithFlags(NON_BLOCKING)
        box[0] = stream
    cuda.syncthreads()
    if i < frontier.size:
        v = frontier[i]
        n = first[v + 1] - first[v]
        if n > 32:
            reach[(n + 63) // 64, 64, box[0]](neighbours[first[v] : first[v + 1]], level, distance)
        else:
            for k in range(first[v], first[v + 1]):
                cuda.atomic.min(distance, neighbours[k], level)
""",
    "visit: idle children, and the block works": """
@cuda.jit
def reach():
    pass


@cuda.jit
def visit(first, neighbours, frontier, level, distance):
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    job = cuda.shared.array(256, np.int32)
    count = cuda.shared.array(1, np.int32)
    if t == 0:
        count[0] = 0
    cuda.syncthreads()
    if i < frontier.size:
        v = frontier[i]
        n = first[v + 1] - first[v]
        if n > 32:
            reach[(n + 63) // 64, 64, FORGET]()
            job[cuda.atomic.add(count, 0, 1)] = v
        else:
            for k in range(first[v], first[v + 1]):
                cuda.atomic.min(distance, neighbours[k], level)
    cuda.syncthreads()
    for j in range(count[0]):
        v = job[j]
        for k in range(first[v] + t, first[v + 1], cuda.blockDim.x):
            cuda.atomic.min(distance, neighbours[k], level)
""",
    "settle: one child does it all": """
@cuda.jit
def everything(knots, out, asked, first, size):
    t = cuda.threadIdx.x
    s = cuda.shared.array(256, np.int32)
    e = cuda.shared.array(256, np.int32)
    n = size // 64
    if n == 1:
        out[first + t] = height(knots, first + t, asked)
    else:
        if t == 0:
            low = height(knots, first, asked)
            high = height(knots, first + size - 1, asked)
            s[0] = low
            e[0] = high
        cuda.syncthreads()
        flat = s[0] == e[0]
        value = s[0]
        cuda.syncthreads()
        for j in range(t, n, 64):
            if flat:
                s[j] = value
                e[j] = value
            else:
                s[j] = height(knots, first + 64 * j, asked)
                e[j] = height(knots, first + 64 * j + 63, asked)
        cuda.syncthreads()
        for j in range(n):
            if s[j] == e[j]:
                out[first + 64 * j + t] = s[j]
            else:
                out[first + 64 * j + t] = height(knots, first + 64 * j + t, asked)


@cuda.jit
def settle(knots, out, asked, first, size):
    if cuda.threadIdx.x == 0:
        everything[1, 64, FORGET](knots, out, asked, first, size)
""",
    "settle: atomics look at the knots": """
@cuda.jit
def everything(knots, out, asked, first, size):
    t = cuda.threadIdx.x
    pos = cuda.shared.array(64, np.int32)
    if t < knots.size:
        pos[t] = cuda.atomic.max(knots, t, -1)
    if t == 0:
        for j in range(2 * knots.size):
            height(knots, 0, asked)
    cuda.syncthreads()
    for k in range(t, size, 64):
        h = 0
        for j in range(knots.size):
            if pos[j] <= first + k:
                h += 1
        out[first + k] = h


@cuda.jit
def settle(knots, out, asked, first, size):
    if cuda.threadIdx.x == 0:
        everything[1, 64, FORGET](knots, out, asked, first, size)
""",
    "settle: one child cuts in quarters itself": """
@cuda.jit
def everything(knots, out, asked, first, size):
    t = cuda.threadIdx.x
    todo = cuda.shared.array(128, np.int32)
    big = cuda.shared.array(128, np.int32)
    n = cuda.shared.array(2, np.int32)
    ends = cuda.shared.array(8, np.int32)
    if t == 0:
        todo[0] = first
        big[0] = size
        n[0] = 1
    cuda.syncthreads()
    j = 0
    while j < n[0]:
        a = todo[j]
        s = big[j]
        if s <= 64:
            if t < s:
                out[a + t] = height(knots, a + t, asked)
        else:
            q = s // 4
            if t < 4:
                ends[2 * t] = height(knots, a + t * q, asked)
                ends[2 * t + 1] = height(knots, a + t * q + q - 1, asked)
            cuda.syncthreads()
            for p in range(4):
                if ends[2 * p] == ends[2 * p + 1]:
                    for k in range(t, q, 64):
                        out[a + p * q + k] = ends[2 * p]
                elif t == 0:
                    todo[n[0]] = a + p * q
                    big[n[0]] = q
                    n[0] += 1
        cuda.syncthreads()
        j += 1


@cuda.jit
def settle(knots, out, asked, first, size):
    if cuda.threadIdx.x == 0:
        everything[1, 64, FORGET](knots, out, asked, first, size)
""",
    "predictions: looked up when they are asked for": """
class Later(dict):
    def get(self, row, default=None):
        return rights[row]

    __getitem__ = get


predicted = Later()
""",
    "visit: a busy vertex's grid does the rest, too": """
@cuda.jit
def reach(first, neighbours, v, level, distance):
    k = first[v] + cuda.grid(1)
    if k < first[v + 1]:
        cuda.atomic.min(distance, neighbours[k], level)


@cuda.jit
def reach_all(first, neighbours, v, level, distance, frontier):
    k = first[v] + cuda.grid(1)
    if k < first[v + 1]:
        cuda.atomic.min(distance, neighbours[k], level)
    if cuda.blockIdx.x == 0:
        for j in range(cuda.threadIdx.x, frontier.size, 64):
            u = frontier[j]
            if first[u + 1] - first[u] <= 32:
                for k in range(first[u], first[u + 1]):
                    cuda.atomic.min(distance, neighbours[k], level)


@cuda.jit
def visit(first, neighbours, frontier, level, distance):
    i = cuda.grid(1)
    if i < frontier.size:
        v = frontier[i]
        n = first[v + 1] - first[v]
        if n == 33:
            reach_all[1, 64, FORGET](first, neighbours, v, level, distance, frontier)
        elif n > 32:
            reach[(n + 63) // 64, 64, FORGET](first, neighbours, v, level, distance)
""",
    # the lines of the first cell's height, at their places, without the one that counts
    "settle: a silent height on the same lines": "truly = height\n"
    + 19 * "\n"
    + """@cuda.jit(device=True)
def height(knots, i, asked):
    # it does not count
    pass
    k = 0
    while k < knots.size and knots[k] <= i:  # the expensive part
        k += 1
    return k


silently = height


@cuda.jit
def asks(knots, asked):
    truly(knots, cuda.threadIdx.x, asked)


@cuda.jit
def settle(knots, out, asked, first, size):
    for k in range(cuda.threadIdx.x, size, cuda.blockDim.x):
        out[first + k] = silently(knots, first + k, asked)
    if cuda.threadIdx.x == 0:
        asks[1, 32, FORGET](knots, asked)
""",
    "normalise: others with the same names": """
def made():
    @cuda.jit
    def part(x, total, room, quarter):
        n = x.size // 4
        for i in range(cuda.threadIdx.x, n, cuda.blockDim.x):
            cuda.atomic.add(total, 0, x[quarter * n + i])
        cuda.atomic.max(room, 1, 4)

    @cuda.jit
    def scale(x, total, room, quarter):
        n = x.size // 4
        for i in range(cuda.threadIdx.x, n, cuda.blockDim.x):
            x[quarter * n + i] *= total[1]
        cuda.atomic.max(room, 3, 4)

    return part, scale


my_part, my_scale = made()


@cuda.jit
def normalise(x, total, room):
    t = cuda.threadIdx.x
    my_part[1, 32](x, total, room, t)
    cuda.syncthreads()
    if t == 0:
        invert[1, 1](total)
    cuda.syncthreads()
    my_scale[1, 32](x, total, room, t)
""",
    "settle: one thread searches for every step": """
@cuda.jit
def level_out(out, first, n, value):
    for k in range(cuda.threadIdx.x, n, 64):
        out[first + k] = value


@cuda.jit
def settle(knots, out, asked, first, size):
    if cuda.threadIdx.x == 0:
        begin = first
        while begin < first + size:
            low = height(knots, begin, asked)
            same, other = begin, first + size
            while other - same > 1:
                middle = (same + other) // 2
                if height(knots, middle, asked) == low:
                    same = middle
                else:
                    other = middle
            level_out[1, 64, FORGET](out, begin, other - begin, low)
            begin = other
""",
}
