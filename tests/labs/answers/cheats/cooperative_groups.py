"""cooperative-groups: cheats."""

from tests.labs.answers.forged import FORGED

ANSWERS = {
    "predictions": FORGED
    + """
predicted = {row: dict.fromkeys(("rank", "number", "size", "mask"), Anything()) for row in (
    "a of thread 45, H200", "a of thread 45, MetaX C500", "b of thread 53, H200",
    "b of thread 53, MetaX C500", "c of thread 42, H200", "d of thread 29, H200")}
""",
    "predictions: another kernel": """
@cuda.jit
def tell(out):
    out[0, 0, 0] = 0


predicted = {
    "a of thread 45, H200": {"rank": 0, "number": 0, "size": 0, "mask": 0},
    "a of thread 45, MetaX C500": {"mask": 0},
    "b of thread 53, H200": {"rank": 0, "number": 0, "size": 0},
    "b of thread 53, MetaX C500": {"rank": 0, "size": 0},
    "c of thread 42, H200": {"rank": 0, "number": 0, "size": 0},
    "d of thread 29, H200": {"rank": 0, "number": 0, "size": 0},
}
""",
    "rest-of: one by one": """
@cuda.jit(device=True)
def rest_of(tile, value):
    total = value
    for k in range(1, tile.size()):
        other = tile.shfl_down(value, k)
        if tile.thread_rank() + k < tile.size():
            total += other
    return total
""",
    "rest-of: through shared memory": """
@cuda.jit(device=True)
def rest_of(tile, value):
    s = cuda.shared.array(1024, np.int32)
    s[cuda.threadIdx.x] = value
    tile.sync()
    total = 0
    for k in range(tile.size() - tile.thread_rank()):
        total += s[cuda.threadIdx.x + k]
    return total
""",
    "rest-of: with barriers of the block": """
@cuda.jit(device=True)
def rest_of(tile, value):
    cuda.syncthreads()
    return cg.reduce(tile, value, cg.plus()) - cg.exclusive_scan(tile, value)
""",
    "peak: an atomic for each warp": """
@cuda.jit
def peak(x, top):
    tile = cg.tiled_partition(cg.this_thread_block(), 32)
    mine = cg.reduce(tile, x[cuda.grid(1)], cg.greater())
    if tile.thread_rank() == 0:
        cuda.atomic.max(top, 0, mine)
""",
    "peak: an atomic in shared memory": """
@cuda.jit
def peak(x, top):
    s = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    if t == 0:
        s[0] = x[cuda.grid(1)]
    cuda.syncthreads()
    cuda.atomic.max(s, 0, x[cuda.grid(1)])
    cuda.syncthreads()
    if t == 0:
        cuda.atomic.max(top, 0, s[0])
""",
    "peak: one thread reads all": """
@cuda.jit
def peak(x, top):
    if cuda.threadIdx.x == 0:
        found = x[cuda.grid(1)]
        for k in range(1, cuda.blockDim.x):
            found = max(found, x[cuda.grid(1) + k])
        cuda.atomic.max(top, 0, found)
""",
    "peak: reduce of a tile as large as the block": """
@cuda.jit
def peak(x, top):
    block = cg.this_thread_block()
    tile = cg.tiled_partition(block, 64)
    mine = cg.reduce(tile, x[cuda.grid(1)], cg.greater())
    if tile.thread_rank() == 0:
        cuda.atomic.max(top, 0, mine)
""",
    "peak: the first block alone": """
@cuda.jit
def peak(x, top):
    s = cuda.shared.array(32, np.int32)
    block = cg.this_thread_block()
    tile = cg.tiled_partition(block, 32)
    if cuda.blockIdx.x == 0:
        mine = x[cuda.threadIdx.x]
        for k in range(1, cuda.gridDim.x):
            mine = max(mine, x[cuda.threadIdx.x + k * cuda.blockDim.x])
        mine = cg.reduce(tile, mine, cg.greater())
        if tile.thread_rank() == 0:
            s[tile.meta_group_rank()] = mine
        block.sync()
        if tile.meta_group_rank() == 0:
            found = s[min(tile.thread_rank(), tile.meta_group_size() - 1)]
            found = cg.reduce(tile, found, cg.greater())
            if tile.thread_rank() == 0:
                cuda.atomic.max(top, 0, found)
    elif block.thread_rank() == 0:
        cuda.atomic.max(top, 0, -20000)
""",
    "peak: one warp of each block": """
@cuda.jit
def peak(x, top):
    t = cuda.threadIdx.x
    if t < cuda.warpsize:
        first = cuda.blockIdx.x * cuda.blockDim.x + t
        mine = x[first]
        for k in range(1, cuda.blockDim.x // cuda.warpsize):
            mine = max(mine, x[first + k * cuda.warpsize])
        step = cuda.warpsize // 2
        while step:
            mine = max(mine, cuda.shfl_xor_sync(-1, mine, step))
            step //= 2
        if t == 0:
            cuda.atomic.max(top, 0, mine)
""",
    "by-kind: atomics": """
@cuda.jit
def by_kind(x, kind, out):
    i = cuda.grid(1)
    first = i // 32 * 32
    for k in range(32):
        if kind[i] >= 0 and kind[first + k] == kind[i]:
            cuda.atomic.add(out, first + k, x[i])
""",
    "by-kind: every thread reads its tile": """
@cuda.jit
def by_kind(x, kind, out):
    i = cuda.grid(1)
    first = i // 32 * 32
    total = 0
    for k in range(32):
        if kind[first + k] == kind[i]:
            total += x[first + k]
    if kind[i] >= 0:
        out[i] = total
""",
    "by-kind: through shared memory": """
@cuda.jit
def by_kind(x, kind, out):
    s = cuda.shared.array((2, 1024), np.int32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    tile = cg.tiled_partition(cg.this_thread_block(), 32)
    s[0, t], s[1, t] = x[i], kind[i]
    tile.sync()
    total = 0
    for k in range(32):
        if s[1, t // 32 * 32 + k] == kind[i]:
            total += s[0, t // 32 * 32 + k]
    if kind[i] >= 0:
        out[i] = total
""",
    "prizes: one thread does it all": """
@cuda.jit
def prizes(x, top, winners, share):
    if cuda.grid(1) == 0:
        for i in range(x.size):
            top[0] = max(top[0], x[i])
        for i in range(x.size):
            if x[i] == top[0]:
                winners[0] += 1
        for i in range(x.size):
            if x[i] == top[0]:
                share[i] = 1 / winners[0]
""",
    "prizes: every thread looks at everything": """
@cuda.jit
def prizes(x, top, winners, share):
    largest = x[0]
    for i in range(x.size):
        largest = max(largest, x[i])
    count = 0
    for i in range(x.size):
        if x[i] == largest:
            count += 1
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] == largest:
            share[i] = 1 / count
""",
    "prizes: every thread looks at everything, and one notes it": """
@cuda.jit
def prizes(x, top, winners, share):
    largest, count = x[0], 0
    for i in range(x.size):
        largest = max(largest, x[i])
    for i in range(x.size):
        if x[i] == largest:
            count += 1
    if cuda.grid(1) == 0:
        top[0], winners[0] = largest, count
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] == largest:
            share[i] = 1 / count
""",
    "prizes: every block looks at everything, and the grid never waits": """
@cuda.jit
def prizes(x, top, winners, share):
    s = cuda.shared.array((2, 1024), np.int32)
    t, best, mine = cuda.threadIdx.x, -2147483648, 0
    for i in range(t, x.size, cuda.blockDim.x):
        if x[i] > best:
            best, mine = x[i], 1
        elif x[i] == best:
            mine += 1
    s[0, t], s[1, t] = best, mine
    cuda.syncthreads()
    largest, count = -2147483648, 0
    for k in range(cuda.blockDim.x):
        if s[0, k] > largest:
            largest, count = s[0, k], s[1, k]
        elif s[0, k] == largest:
            count += s[1, k]
    if t == 0:
        cuda.atomic.max(top, 0, largest)
        cuda.atomic.max(winners, 0, count)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] == largest:
            share[i] = 1 / count
""",
    "prizes: one block counts for all": """
@cuda.jit
def prizes(x, top, winners, share):
    grid = cg.this_grid()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.max(top, 0, x[i])
    grid.sync()
    if cuda.blockIdx.x == 0:
        for i in range(cuda.threadIdx.x, x.size, cuda.blockDim.x):
            if x[i] == top[0]:
                cuda.atomic.add(winners, 0, 1)
    grid.sync()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] == top[0]:
            share[i] = 1 / winners[0]
""",
    "prizes: one block finds, and all count": """
@cuda.jit
def prizes(x, top, winners, share):
    grid = cg.this_grid()
    if cuda.blockIdx.x == 0:
        for i in range(cuda.threadIdx.x, x.size, cuda.blockDim.x):
            cuda.atomic.max(top, 0, x[i])
    grid.sync()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] == top[0]:
            cuda.atomic.add(winners, 0, 1)
    grid.sync()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] == top[0]:
            share[i] = 1 / winners[0]
""",
    "prizes: two blocks do the work of all": """
@cuda.jit
def prizes(x, top, winners, share):
    grid = cg.this_grid()
    i, step = cuda.grid(1), 2 * cuda.blockDim.x
    if cuda.blockIdx.x < 2:
        for k in range(i, x.size, step):
            cuda.atomic.max(top, 0, x[k])
    grid.sync()
    if cuda.blockIdx.x < 2:
        for k in range(i, x.size, step):
            if x[k] == top[0]:
                cuda.atomic.add(winners, 0, 1)
    grid.sync()
    for k in range(i, x.size, cuda.gridsize(1)):
        if x[k] == top[0]:
            share[k] = 1 / winners[0]
""",
    "prizes: a barrier more": """
@cuda.jit
def prizes(x, top, winners, share):
    grid = cg.this_grid()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.max(top, 0, x[i])
    grid.sync()
    grid.sync()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] == top[0]:
            cuda.atomic.add(winners, 0, 1)
    grid.sync()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] == top[0]:
            share[i] = 1 / winners[0]
""",
    "prizes: each block by itself": """
@cuda.jit
def prizes(x, top, winners, share):
    block = cg.this_thread_block()
    for i in range(cuda.threadIdx.x, x.size, cuda.blockDim.x):
        cuda.atomic.max(top, 0, x[i])
    block.sync()
    if cuda.blockIdx.x == 0:
        for i in range(cuda.threadIdx.x, x.size, cuda.blockDim.x):
            if x[i] == top[0]:
                cuda.atomic.add(winners, 0, 1)
    block.sync()
    if cuda.blockIdx.x == 0:
        for i in range(cuda.threadIdx.x, x.size, cuda.blockDim.x):
            if x[i] == top[0]:
                share[i] = 1 / winners[0]
""",
}
ANSWERS |= {
    "by-kind: what it reads is nothing in the end, as what it writes": """
@cuda.jit
def by_kind(x, kind, out):
    i = cuda.grid(1)
    x[i] = out[i] = 0
""",
}
