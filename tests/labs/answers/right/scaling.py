"""scaling: right answers in other forms."""

ANSWERS = {
    "predictions: other types": """
predicted = {
    "A": {"waves": np.int64(1), "blocks in the last": 18.0, "idle in the last": 0},
    "B": {"waves": 3.0, "blocks in the last": 5, "idle in the last": 15},
    "C": {"waves": 2, "blocks in the last": 1, "idle in the last": 131},
    "D": {"waves": 4, "blocks in the last": 56, "idle in the last": 0},
}
""",
    "waves-of: with divmod": """
def waves_of(device, fit, blocks):
    full, rest = divmod(blocks, device.multiprocessors * fit)
    if rest:
        return [full + 1, rest, device.multiprocessors * fit - rest]
    return [full, device.multiprocessors * fit, 0]
""",
    "waves-of: a loop, floats": """
def waves_of(device, fit, blocks):
    waves, places = 1.0, device.multiprocessors * fit
    while blocks > places:
        waves, blocks = waves + 1, blocks - places
    return waves, blocks, places - blocks
""",
    "waves-of: with NumPy": """
def waves_of(device, fit, blocks):
    places = fit * device.multiprocessors
    waves = np.ceil(blocks / places)
    return np.array([waves, blocks - (waves - 1) * places, waves * places - blocks])
""",
    "negative: with while": """
@cuda.jit
def negative(image, out):
    x, y = cuda.grid(2)
    wide, high = cuda.gridsize(2)
    r = y
    while r < image.shape[0]:
        c = x
        while c < image.shape[1]:
            out[r, c] = 255 - image[r, c]
            c += wide
        r += high
""",
    "negative: columns outside": """
@cuda.jit
def negative(image, out):
    x, y = cuda.grid(2)
    wide, high = cuda.gridsize(2)
    for c in range(x, out.shape[1], wide):
        for r in range(y, out.shape[0], high):
            out[r, c] = -image[r, c] + 255
""",
    "negative: indices by hand": """
@cuda.jit
def negative(image, out):
    x = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    y = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    for r in range(y, out.shape[0], cuda.gridDim.y * cuda.blockDim.y):
        for c in range(x, out.shape[1], cuda.gridDim.x * cuda.blockDim.x):
            out[r, c] = 255 - image[r, c]
""",
    "jobs: drawn at the end of a round": """
@cuda.jit
def add_jobs(data, starts, sizes, totals, drawn):
    box = cuda.shared.array(1, np.int32)
    if cuda.threadIdx.x == 0:
        box[0] = cuda.atomic.add(drawn, 0, 1)
    cuda.syncthreads()
    job = box[0]
    while job < sizes.size:
        mine = 0
        for k in range(cuda.threadIdx.x, sizes[job], cuda.blockDim.x):
            mine += data[starts[job] + k]
        cuda.atomic.add(totals, job, mine)
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            box[0] = cuda.atomic.add(drawn, 0, 1)
        cuda.syncthreads()
        job = box[0]
""",
    "jobs: two boxes in turn, one barrier": """
@cuda.jit
def add_jobs(data, starts, sizes, totals, drawn):
    box = cuda.shared.array(2, np.int32)
    turn = 0
    job = 0
    while job < sizes.size:
        if cuda.threadIdx.x == 0:
            box[turn] = cuda.atomic.add(drawn, 0, 1)
        cuda.syncthreads()
        job = box[turn]
        turn = 1 - turn
        if job < sizes.size:
            mine = 0
            for k in range(starts[job] + cuda.threadIdx.x, starts[job] + sizes[job], cuda.blockDim.x):
                mine += data[k]
            cuda.atomic.add(totals, job, mine)
""",
    "roll-call: the size by hand": """
@cuda.jit
def roll_call(said):
    t, b, block, grid = cuda.threadIdx, cuda.blockIdx, cuda.blockDim, cuda.gridDim
    size = block.x * block.y * block.z
    warps = -(-size // cuda.warpsize)
    i = t.x + block.x * (t.y + block.y * t.z)
    if i % cuda.warpsize != 0:
        return
    n = b.x + grid.x * (b.y + grid.y * b.z)
    warp = i // cuda.warpsize
    count = cuda.warpsize
    if i + count > size:
        count = size - i
    said[n * warps + warp] = count
    print("block", n, "warp", warp, "threads", count)
""",
    "roll-call: by the lane": """
@cuda.jit
def roll_call(said):
    t, b, block, grid = cuda.threadIdx, cuda.blockIdx, cuda.blockDim, cuda.gridDim
    if cuda.laneid == 0:
        i = (t.z * block.y + t.y) * block.x + t.x
        n = (b.z * grid.y + b.y) * grid.x + b.x
        size = block.x * block.y * block.z
        print("block", n, "warp", i // cuda.warpsize, "threads", min(cuda.warpsize, size - i))
        said[n * ((size - 1) // cuda.warpsize + 1) + i // cuda.warpsize] = min(cuda.warpsize, size - i)
""",
    "jobs: the last thread draws": """
@cuda.jit
def add_jobs(data, starts, sizes, totals, drawn):
    slot = cuda.shared.array(1, np.int32)
    last = cuda.blockDim.x - 1
    if cuda.threadIdx.x == last:
        slot[0] = cuda.atomic.add(drawn, 0, 1)
    cuda.syncthreads()
    job = slot[0]
    while job < sizes.size:
        mine = 0
        for k in range(cuda.threadIdx.x, sizes[job], cuda.blockDim.x):
            mine += data[starts[job] + k]
        cuda.atomic.add(totals, job, mine)
        cuda.syncthreads()
        if cuda.threadIdx.x == last:
            slot[0] = cuda.atomic.add(drawn, 0, 1)
        cuda.syncthreads()
        job = slot[0]
""",
    "jobs: a sum in shared memory": """
@cuda.jit
def add_jobs(data, starts, sizes, totals, drawn):
    slot = cuda.shared.array(2, np.int32)
    while True:
        if cuda.threadIdx.x == 0:
            slot[0] = cuda.atomic.add(drawn, 0, 1)
            slot[1] = 0
        cuda.syncthreads()
        job = slot[0]
        if job >= sizes.size:
            return
        mine = 0
        for k in range(cuda.threadIdx.x, sizes[job], cuda.blockDim.x):
            mine += data[starts[job] + k]
        cuda.atomic.add(slot, 1, mine)
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            totals[job] = slot[1]
        cuda.syncthreads()
""",
    "roll-call: cut short by a branch": """
@cuda.jit
def roll_call(said):
    t, d, b, g = cuda.threadIdx, cuda.blockDim, cuda.blockIdx, cuda.gridDim
    me = t.x + d.x * (t.y + d.y * t.z)
    block = b.x + g.x * (b.y + g.y * b.z)
    n = d.x * d.y * d.z
    ws = cuda.warpsize
    warps = (n + ws - 1) // ws

    if cuda.laneid == 0:
        k = ws
        if me + ws > n:
            k = n % ws
        print("block", block, "warp", me // ws, "threads", k)
        said[block * warps + me // ws] = k
""",
}
