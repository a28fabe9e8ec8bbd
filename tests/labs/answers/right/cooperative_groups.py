"""cooperative-groups: right answers in other forms."""

ANSWERS = {
    "predictions: masks as numbers, upper case, without 0x": """
predicted = {
    "a of thread 45, H200": {"rank": 5, "number": 1.0, "size": np.int64(8), "mask": 0xFF00},
    "a of thread 45, MetaX C500": {"mask": "FF0000000000"},
    "b of thread 53, H200": {"rank": 5, "number": 0, "size": 8},
    "b of thread 53, MetaX C500": {"rank": 13, "size": 16},
    "c of thread 42, H200": {"rank": 5, "number": 1, "size": 12},
    "d of thread 29, H200": {"rank": 3, "number": 2, "size": 4},
}
""",
    "rest-of: the whole without what is before": """
@cuda.jit(device=True)
def rest_of(tile, value):
    return cg.reduce(tile, value, cg.plus()) - cg.exclusive_scan(tile, value)
""",
    "rest-of: a scan, and its last value": """
@cuda.jit(device=True)
def rest_of(tile, value):
    sums = cg.inclusive_scan(tile, value)
    return tile.shfl(sums, tile.size() - 1) - sums + value
""",
    "rest-of: a scan of the mirrored tile": """
@cuda.jit(device=True)
def rest_of(tile, value):
    opposite = tile.size() - 1 - tile.thread_rank()
    return tile.shfl(cg.inclusive_scan(tile, tile.shfl(value, opposite)), opposite)
""",
    "rest-of: zeros from beyond the end": """
@cuda.jit(device=True)
def rest_of(tile, value):
    total = value
    k = 0
    while (1 << k) < tile.num_threads():
        other = tile.shfl_down(total, 1 << k)
        total += other if tile.thread_rank() + (1 << k) < tile.num_threads() else 0
        k += 1
    return total
""",
    "peak: a tree of shuffles": """
@cuda.jit
def peak(x, top):
    s = cuda.shared.array(32, np.int32)
    block = cg.this_thread_block()
    tile = cg.tiled_partition(block, 32)
    mine = x[cuda.grid(1)]
    for k in range(5):
        mine = max(mine, tile.shfl_xor(mine, 1 << k))
    if tile.thread_rank() == 0:
        s[tile.meta_group_rank()] = mine
    block.sync()
    if block.thread_rank() < 32:
        other = np.int32(-2147483648)
        if tile.thread_rank() < block.size() // 32:
            other = s[tile.thread_rank()]
        for k in range(5):
            other = max(other, tile.shfl_down(other, 16 >> k))
        if tile.thread_rank() == 0:
            cuda.atomic.max(top, 0, other)
""",
    "peak: without groups": """
@cuda.jit
def peak(x, top):
    s = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    lane, warp, warps = cuda.laneid, t // cuda.warpsize, cuda.blockDim.x // cuda.warpsize
    mine = x[cuda.grid(1)]
    step = cuda.warpsize // 2
    while step:
        mine = max(mine, cuda.shfl_xor_sync(-1, mine, step))
        step //= 2
    if lane == 0:
        s[warp] = mine
    cuda.syncthreads()
    if warp == 0:
        mine = s[lane % warps]
        step = cuda.warpsize // 2
        while step:
            mine = max(mine, cuda.shfl_xor_sync(-1, mine, step))
            step //= 2
        if lane == 0:
            cuda.atomic.max(top, 0, mine)
""",
    "by-kind: side first, then kinds": """
@cuda.jit
def by_kind(x, kind, out):
    i = cuda.grid(1)
    tile = cg.tiled_partition(cg.this_thread_block(), 32)
    side = cg.binary_partition(tile, kind[i] >= 0)
    if kind[i] >= 0:
        alike = cg.labeled_partition(side, kind[i])
        out[i] = cg.reduce(alike, x[i], cg.plus())
    cg.sync(tile)
""",
    "by-kind: all reduce, who works stores": """
@cuda.jit
def by_kind(x, kind, out):
    i = cuda.grid(1)
    mine = kind[i]
    alike = cg.labeled_partition(cg.tiled_partition(cg.this_thread_block(), 32), mine)
    total = cg.reduce(alike, x[i], cg.plus())
    out[i] = total if mine >= 0 else 0
""",
    "by-kind: a sum of the tile for each kind": """
@cuda.jit
def by_kind(x, kind, out):
    i = cuda.grid(1)
    tile = cg.tiled_partition(cg.this_thread_block(), 32)
    mine, value = kind[i], x[i]
    for k in range(4):
        total = cg.reduce(tile, value if mine == k else 0, cg.plus())
        if mine == k:
            out[i] = total
""",
    "by-kind: all kinds in turn, loaded anew": """
@cuda.jit
def by_kind(x, kind, out):
    i = cuda.grid(1)
    tile = cg.tiled_partition(cg.this_thread_block(), 32)
    for k in range(4):
        found = cg.reduce(tile, x[i] if kind[i] == k else 0, cg.plus())
        if kind[i] == k:
            out[i] = found
""",
    "prizes: each thread brings its own best once": """
@cuda.jit
def prizes(x, top, winners, share):
    grid = cg.this_grid()
    best, mine = -2147483648, 0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] > best:
            best, mine = x[i], 1
        elif x[i] == best:
            mine += 1
    if mine > 0:
        cuda.atomic.max(top, 0, best)
    grid.sync()
    if mine > 0 and best == top[0]:
        cuda.atomic.add(winners, 0, mine)
    grid.sync()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] == top[0]:
            share[i] = 1 / winners[0]
""",
    "prizes: the first of a tile counts for all": """
@cuda.jit
def prizes(x, top, winners, share):
    grid = cg.this_grid()
    first, step = grid.thread_rank(), grid.size()
    largest = np.int32(-2147483648)
    for i in range(first, x.size, step):
        largest = max(largest, x[i])
    cuda.atomic.max(top, 0, largest)
    grid.sync()
    mine = 0
    for i in range(first, x.size, step):
        mine += 1 if x[i] == top[0] else 0
    if mine:
        cuda.atomic.add(winners, 0, mine)
    cg.sync(grid)
    each = 1.0 / winners[0]
    for i in range(first, x.size, step):
        if x[i] == top[0]:
            share[i] = each
""",
}
