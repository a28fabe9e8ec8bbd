"""scaling: wrong answers."""

ANSWERS = {
    "waves-of: the last wave is never full": """
def waves_of(device, fit, blocks):
    places = device.multiprocessors * fit
    return blocks // places + 1, blocks % places, places - blocks % places
""",
    "waves-of: one block on each": """
def waves_of(device, fit, blocks):
    places = device.multiprocessors
    waves = -(-blocks // places)
    return waves, blocks - (waves - 1) * places, waves * places - blocks
""",
    "waves-of: 132": """
def waves_of(device, fit, blocks):
    places = 132 * fit
    waves = -(-blocks // places)
    return waves, blocks - (waves - 1) * places, waves * places - blocks
""",
    "negative: steps by a block": """
@cuda.jit
def negative(image, out):
    x, y = cuda.grid(2)
    wide, high = cuda.gridsize(2)
    for r in range(y, out.shape[0], cuda.blockDim.y):
        for c in range(x, out.shape[1], cuda.blockDim.x):
            out[r, c] = 255 - image[r, c]
""",
    "negative: only along the columns": """
@cuda.jit
def negative(image, out):
    x, y = cuda.grid(2)
    wide, high = cuda.gridsize(2)
    for c in range(x, out.shape[1], wide):
        if y < out.shape[0]:
            out[y, c] = 255 - image[y, c]
""",
    "jobs: every thread draws": """
@cuda.jit
def add_jobs(data, starts, sizes, totals, drawn):
    box = cuda.shared.array(1, np.int32)
    while True:
        box[0] = cuda.atomic.add(drawn, 0, 1)
        cuda.syncthreads()
        job = box[0]
        cuda.syncthreads()
        if job >= sizes.size:
            return
        mine = 0
        for k in range(cuda.threadIdx.x, sizes[job], cuda.blockDim.x):
            mine += data[starts[job] + k]
        cuda.atomic.add(totals, job, mine)
""",
    "jobs: one barrier is missing": """
@cuda.jit
def add_jobs(data, starts, sizes, totals, drawn):
    box = cuda.shared.array(1, np.int32)
    while True:
        if cuda.threadIdx.x == 0:
            box[0] = cuda.atomic.add(drawn, 0, 1)
        cuda.syncthreads()
        job = box[0]
        pass
        if job >= sizes.size:
            return
        mine = 0
        for k in range(cuda.threadIdx.x, sizes[job], cuda.blockDim.x):
            mine += data[starts[job] + k]
        cuda.atomic.add(totals, job, mine)
""",
    "jobs: no atomic draw": """
@cuda.jit
def add_jobs(data, starts, sizes, totals, drawn):
    box = cuda.shared.array(1, np.int32)
    while True:
        if cuda.threadIdx.x == 0:
            box[0] = drawn[0]
            drawn[0] += 1
        cuda.syncthreads()
        job = box[0]
        cuda.syncthreads()
        if job >= sizes.size:
            return
        mine = 0
        for k in range(cuda.threadIdx.x, sizes[job], cuda.blockDim.x):
            mine += data[starts[job] + k]
        cuda.atomic.add(totals, job, mine)
""",
    "roll-call: warps of 32": """
@cuda.jit
def roll_call(said):
    t, b, block, grid = cuda.threadIdx, cuda.blockIdx, cuda.blockDim, cuda.gridDim
    i = (t.z * block.y + t.y) * block.x + t.x
    n = (b.z * grid.y + b.y) * grid.x + b.x
    size = block.x * block.y * block.z
    if i % 32 == 0:
        print("block", n, "warp", i // 32, "threads", min(32, size - i))
        said[n * ((size + 31) // 32) + i // 32] = min(32, size - i)
""",
    "roll-call: only x": """
@cuda.jit
def roll_call(said):
    t, b, block, grid = cuda.threadIdx, cuda.blockIdx, cuda.blockDim, cuda.gridDim
    if t.x % cuda.warpsize == 0:
        print("block", b.x, "warp", t.x // cuda.warpsize, "threads", min(cuda.warpsize, block.x - t.x))
""",
}
