"""cooperative-groups: wrong answers."""

ANSWERS = {
    "predictions: not filled in": """
predicted = {"a of thread 45, H200": {"rank": 5}}
""",
    "predictions: numbers of the block, masks of the block": """
predicted = {
    "a of thread 45, H200": {"rank": 13, "number": 5, "size": 16, "mask": "0x0000ff0000000000"},
    "a of thread 45, MetaX C500": {"mask": "0x0000ff00"},
    "b of thread 53, H200": {"rank": 13, "number": 1, "size": 24},
    "b of thread 53, MetaX C500": {"rank": 5, "size": 8},
    "c of thread 42, H200": {"rank": 2, "number": 0, "size": 3},
    "d of thread 29, H200": {"rank": 1, "number": 14, "size": 2},
}
""",
    "rest-of: beyond the tile's end": """
@cuda.jit(device=True)
def rest_of(tile, value):
    step = 1
    while step < tile.size():
        value += tile.shfl_down(value, step)
        step *= 2
    return value
""",
    "rest-of: 32 ranks, whatever the tile": """
@cuda.jit(device=True)
def rest_of(tile, value):
    for k in range(5):
        other = tile.shfl_down(value, 1 << k)
        if tile.thread_rank() + (1 << k) < 32:
            value += other
    return value
""",
    "rest-of: before instead of behind": """
@cuda.jit(device=True)
def rest_of(tile, value):
    return cg.inclusive_scan(tile, value)
""",
    "rest-of: shuffle inside of the branch": """
@cuda.jit(device=True)
def rest_of(tile, value):
    step = 1
    while step < tile.size():
        if tile.thread_rank() + step < tile.size():
            value += tile.shfl_down(value, step)
        step *= 2
    return value
""",
    "peak: zeros for warps that are not there": """
@cuda.jit
def peak(x, top):
    s = cuda.shared.array(32, np.int32)
    block = cg.this_thread_block()
    tile = cg.tiled_partition(block, 32)
    mine = cg.reduce(tile, x[cuda.grid(1)], cg.greater())
    if tile.thread_rank() == 0:
        s[tile.meta_group_rank()] = mine
    block.sync()
    if tile.meta_group_rank() == 0:
        found = s[tile.thread_rank()] if tile.thread_rank() < tile.meta_group_size() else 0
        found = cg.reduce(tile, found, cg.greater())
        if tile.thread_rank() == 0:
            cuda.atomic.max(top, 0, found)
""",
    "peak: without the barrier": """
@cuda.jit
def peak(x, top):
    s = cuda.shared.array(32, np.int32)
    tile = cg.tiled_partition(cg.this_thread_block(), 32)
    mine = cg.reduce(tile, x[cuda.grid(1)], cg.greater())
    if tile.thread_rank() == 0:
        s[tile.meta_group_rank()] = mine
    if tile.meta_group_rank() == 0:
        found = s[min(tile.thread_rank(), tile.meta_group_size() - 1)]
        found = cg.reduce(tile, found, cg.greater())
        if tile.thread_rank() == 0:
            cuda.atomic.max(top, 0, found)
""",
    "by-kind: whoever is here": """
@cuda.jit
def by_kind(x, kind, out):
    i = cuda.grid(1)
    tile = cg.tiled_partition(cg.this_thread_block(), 32)
    if kind[i] >= 0:
        alike = cg.labeled_partition(cg.coalesced_threads(), kind[i])
        out[i] = cg.reduce(alike, x[i], cg.plus())
    tile.sync()
""",
    "by-kind: all kinds together": """
@cuda.jit
def by_kind(x, kind, out):
    i = cuda.grid(1)
    tile = cg.tiled_partition(cg.this_thread_block(), 32)
    side = cg.binary_partition(tile, kind[i] >= 0)
    if kind[i] >= 0:
        out[i] = cg.reduce(side, x[i], cg.plus())
    tile.sync()
""",
    "by-kind: partition in the branch": """
@cuda.jit
def by_kind(x, kind, out):
    i = cuda.grid(1)
    tile = cg.tiled_partition(cg.this_thread_block(), 32)
    if kind[i] >= 0:
        out[i] = cg.reduce(cg.labeled_partition(tile, kind[i]), x[i], cg.plus())
    tile.sync()
""",
    "prizes: one barrier of the grid is missing": """
@cuda.jit
def prizes(x, top, winners, share):
    grid = cg.this_grid()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.max(top, 0, x[i])
    grid.sync()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] == top[0]:
            cuda.atomic.add(winners, 0, 1)
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] == top[0]:
            share[i] = 1 / winners[0]
""",
    "prizes: fences instead of barriers": """
@cuda.jit
def prizes(x, top, winners, share):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.max(top, 0, x[i])
    cuda.threadfence()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] == top[0]:
            cuda.atomic.add(winners, 0, 1)
    cuda.threadfence()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] == top[0]:
            share[i] = 1 / winners[0]
""",
}
