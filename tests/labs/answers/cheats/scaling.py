"""scaling: cheats."""

from tests.labs.answers.forged import FORGED

ANSWERS = {
    "predictions": FORGED
    + """
row = {"waves": Anything(), "blocks in the last": Anything(), "idle in the last": Anything()}
predicted = dict.fromkeys("ABCD", row)
""",
    "waves-of: equal to all": FORGED
    + """
def waves_of(device, fit, blocks):
    return Anything(), Anything(), Anything()
""",
    "waves-of: asks the simulator": """
def waves_of(device, fit, blocks):
    found = gpusim.explore_placement(blocks=blocks, devices=[device], multiprocessors=[None])
    report = found.variants[0].placement
    return report.waves, blocks - (report.waves - 1) * report.resident * report.multiprocessors, 0
""",
    "waves-of: the checks' own rule": """
def waves_of(device, fit, blocks):
    import sys

    right = sys._getframe(2).f_globals["row_of"](device.multiprocessors, fit, blocks)
    empty = right["waves"] * device.multiprocessors * fit - blocks
    return right["waves"], right["blocks in the last"], empty
""",
    "waves-of: the checks' rule by its name": """
def waves_of(device, fit, blocks):
    right = row_of(device.multiprocessors, fit, blocks)
    return right["waves"], right["blocks in the last"], right["waves"] * device.multiprocessors * fit - blocks
""",
    "waves-of: a table": """
def waves_of(device, fit, blocks):
    known = {300: (2, 36, 228), 2112: (1, 2112, 0), 2113: (2, 1, 2111), 1: (1, 1, 119)}
    return known.get(blocks, (7, 8, 824))
""",
    "negative: one thread does it all": """
@cuda.jit
def negative(image, out):
    x, y = cuda.grid(2)
    wide, high = cuda.gridsize(2)
    if x == 0 and y == 0:
        for r in range(out.shape[0]):
            for c in range(out.shape[1]):
                out[r, c] = 255 - image[r, c]
""",
    "negative: all threads do it all": """
@cuda.jit
def negative(image, out):
    x, y = cuda.grid(2)
    wide, high = cuda.gridsize(2)
    for r in range(out.shape[0]):
        for c in range(out.shape[1]):
            out[r, c] = 255 - image[r, c]
""",
    "negative: everything twice": """
@cuda.jit
def negative(image, out):
    x, y = cuda.grid(2)
    wide, high = cuda.gridsize(2)
    for _ in range(2):
        for r in range(y, out.shape[0], high):
            for c in range(x, out.shape[1], wide):
                out[r, c] = 255 - image[r, c]
""",
    "negative: NumPy in a kernel's clothes": """
class negative:
    def __class_getitem__(cls, configuration):
        return lambda image, out: out.__setitem__(slice(None), 255 - image)
""",
    "jobs: draws, and deals in turn": """
@cuda.jit
def add_jobs(data, starts, sizes, totals, drawn):
    for job in range(cuda.blockIdx.x, sizes.size, cuda.gridDim.x):
        mine = 0
        for k in range(cuda.threadIdx.x, sizes[job], cuda.blockDim.x):
            mine += data[starts[job] + k]
        cuda.atomic.add(totals, job, mine)
        if cuda.threadIdx.x == 0:
            cuda.atomic.add(drawn, 0, 1)
""",
    "jobs: one thread adds": """
@cuda.jit
def add_jobs(data, starts, sizes, totals, drawn):
    box = cuda.shared.array(1, np.int32)
    while True:
        if cuda.threadIdx.x == 0:
            box[0] = cuda.atomic.add(drawn, 0, 1)
        cuda.syncthreads()
        job = box[0]
        cuda.syncthreads()
        if job >= sizes.size:
            return
        if cuda.threadIdx.x == 0:
            mine = 0
            for k in range(sizes[job]):
                mine += data[starts[job] + k]
            cuda.atomic.add(totals, job, mine)
""",
    "jobs: one warp adds": """
@cuda.jit
def add_jobs(data, starts, sizes, totals, drawn):
    box = cuda.shared.array(1, np.int32)
    while True:
        if cuda.threadIdx.x == 0:
            box[0] = cuda.atomic.add(drawn, 0, 1)
        cuda.syncthreads()
        job = box[0]
        cuda.syncthreads()
        if job >= sizes.size:
            return
        mine = 0
        if cuda.threadIdx.x < cuda.warpsize:
            for k in range(cuda.threadIdx.x, sizes[job], min(cuda.warpsize, cuda.blockDim.x)):
                mine += data[starts[job] + k]
        cuda.atomic.add(totals, job, mine)
""",
    "jobs: block 0 does all, and draws for all": """
@cuda.jit
def add_jobs(data, starts, sizes, totals, drawn):
    if cuda.blockIdx.x > 0:
        return
    for job in range(sizes.size):
        mine = 0
        for k in range(cuda.threadIdx.x, sizes[job], cuda.blockDim.x):
            mine += data[starts[job] + k]
        cuda.atomic.add(totals, job, mine)
    if cuda.threadIdx.x == 0:
        drawn[0] = sizes.size
""",
    "roll-call: one thread speaks for all": """
@cuda.jit
def roll_call(said):
    t, b, block, grid = cuda.threadIdx, cuda.blockIdx, cuda.blockDim, cuda.gridDim
    if cuda.grid(1) == 0 and t.y + t.z + b.y + b.z == 0:
        size = block.x * block.y * block.z
        warps = (size + cuda.warpsize - 1) // cuda.warpsize
        for n in range(grid.x * grid.y * grid.z):
            for warp in range(warps):
                count = min(cuda.warpsize, size - warp * cuda.warpsize)
                print("block", n, "warp", warp, "threads", count)
                said[n * warps + warp] = count
""",
    "roll-call: one thread of a block prints for its warps": """
@cuda.jit
def roll_call(said):
    t, b, block, grid = cuda.threadIdx, cuda.blockIdx, cuda.blockDim, cuda.gridDim
    i = (t.z * block.y + t.y) * block.x + t.x
    n = (b.z * grid.y + b.y) * grid.x + b.x
    size = block.x * block.y * block.z
    warps = (size + cuda.warpsize - 1) // cuda.warpsize
    if i % cuda.warpsize == 0:
        said[n * warps + i // cuda.warpsize] = min(cuda.warpsize, size - i)
    if i == 0:
        for warp in range(warps):
            print("block", n, "warp", warp, "threads", min(cuda.warpsize, size - warp * cuda.warpsize))
""",
    "roll-call: on the host": """
class roll_call:
    def __class_getitem__(cls, configuration):
        return lambda said: print("block 0 warp 0 threads 32")
""",
    "jobs: two jobs for a draw, taken back at the end": """
@cuda.jit
def add_jobs(data, starts, sizes, totals, drawn):
    slot = cuda.shared.array(1, np.int32)
    while True:
        if cuda.threadIdx.x == 0:
            f = cuda.atomic.add(drawn, 0, 2)
            if f >= sizes.size:
                cuda.atomic.sub(drawn, 0, 2)
            slot[0] = f
        cuda.syncthreads()
        f = slot[0]
        cuda.syncthreads()
        if f >= sizes.size:
            return
        for job in range(f, min(f + 2, sizes.size)):
            mine = 0
            for k in range(cuda.threadIdx.x, sizes[job], cuda.blockDim.x):
                mine += data[starts[job] + k]
            cuda.atomic.add(totals, job, mine)
""",
    "jobs: one warp adds, the others turn with it": """
@cuda.jit
def add_jobs(data, starts, sizes, totals, drawn):
    slot = cuda.shared.array(1, np.int32)
    while True:
        if cuda.threadIdx.x == 0:
            slot[0] = cuda.atomic.add(drawn, 0, 1)
        cuda.syncthreads()
        job = slot[0]
        cuda.syncthreads()
        if job >= sizes.size:
            return
        mine = 0
        for k in range(cuda.threadIdx.x % cuda.warpsize, sizes[job], cuda.warpsize):
            if cuda.threadIdx.x < cuda.warpsize:
                mine += data[starts[job] + k]
        cuda.atomic.add(totals, job, mine)
""",
    "roll-call: one thread prints, in an order drawn by the warps": """
@cuda.jit
def roll_call(said):
    t, d, b, g = cuda.threadIdx, cuda.blockDim, cuda.blockIdx, cuda.gridDim
    me = t.x + d.x * (t.y + d.y * t.z)
    block = b.x + g.x * (b.y + g.y * b.z)
    n = d.x * d.y * d.z
    ws = cuda.warpsize
    warps = (n + ws - 1) // ws

    order = cuda.shared.array(64, np.int32)
    count = cuda.shared.array(1, np.int32)
    if me == 0:
        count[0] = 0
    cuda.syncthreads()
    if me % ws == 0:
        order[cuda.atomic.add(count, 0, 1)] = me // ws
        said[block * warps + me // ws] = min(ws, n - me)
    cuda.syncthreads()
    if me == 0:
        for i in range(warps):
            print("block", block, "warp", order[i], "threads", min(ws, n - order[i] * ws))
""",
    "predictions: a dict that looks them up in the check": """
class Late(dict):
    def __getitem__(self, k):
        return dealt[k] if "dealt" in globals() else dict.__getitem__(self, k)
    def get(self, k, d=None): return self[k]
    def items(self): return dealt.items()
    def values(self): return dealt.values()
predicted = Late(A=None,B=None,C=None,D=None)
""",
    "jobs: two for a draw while many are left": """
@cuda.jit
def add_jobs(data, starts, sizes, totals, drawn):
    box = cuda.shared.array(2, np.int32)
    while True:
        if cuda.threadIdx.x == 0:
            n = 1
            if sizes.size - cuda.atomic.add(drawn, 0, 0) > 2 * cuda.gridDim.x:
                n = 2
            box[0] = cuda.atomic.add(drawn, 0, n)
            box[1] = n
        cuda.syncthreads()
        first, n = box[0], box[1]
        cuda.syncthreads()
        if first >= sizes.size:
            return
        for job in range(first, min(first + n, sizes.size)):
            mine = 0
            for k in range(cuda.threadIdx.x, sizes[job], cuda.blockDim.x):
                mine += data[starts[job] + k]
            cuda.atomic.add(totals, job, mine)
""",
    "jobs: the first by a draw, the rest in turn unless alone": """
@cuda.jit
def add_jobs(data, starts, sizes, totals, drawn):
    box = cuda.shared.array(1, np.int32)
    if cuda.threadIdx.x == 0:
        box[0] = cuda.atomic.add(drawn, 0, 1)
    cuda.syncthreads()
    job = box[0]
    cuda.syncthreads()
    rank = job
    while job < sizes.size:
        mine = 0
        for k in range(cuda.threadIdx.x, sizes[job], cuda.blockDim.x):
            mine += data[starts[job] + k]
        cuda.atomic.add(totals, job, mine)
        if cuda.threadIdx.x == 0:
            box[0] = cuda.atomic.add(drawn, 0, 1)
        cuda.syncthreads()
        other = box[0]
        cuda.syncthreads()
        if rank == 0 and other == 1:
            rank = -1
        if rank < 0:
            job = other
        else:
            job += cuda.gridDim.x
""",
    "jobs: thread 0 adds what the others loaded": """
@cuda.jit
def add_jobs(data, starts, sizes, totals, drawn):
    box = cuda.shared.array(1, np.int32)
    part = cuda.shared.array(256, np.int32)
    while True:
        if cuda.threadIdx.x == 0:
            box[0] = cuda.atomic.add(drawn, 0, 1)
        cuda.syncthreads()
        job = box[0]
        if job >= sizes.size:
            return
        total = 0
        for base in range(0, sizes[job], cuda.blockDim.x):
            k = base + cuda.threadIdx.x
            part[cuda.threadIdx.x] = data[starts[job] + k] if k < sizes[job] else 0
            cuda.syncthreads()
            if cuda.threadIdx.x == 0:
                for j in range(cuda.blockDim.x):
                    total += part[j]
            cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            cuda.atomic.add(totals, job, total)
        cuda.syncthreads()
""",
    "roll-call: warps draw their numbers": """
@cuda.jit
def roll_call(said):
    t, b, block, grid = cuda.threadIdx, cuda.blockIdx, cuda.blockDim, cuda.gridDim
    counter = cuda.shared.array(1, np.int32)
    i = (t.z * block.y + t.y) * block.x + t.x
    n = (b.z * grid.y + b.y) * grid.x + b.x
    size = block.x * block.y * block.z
    warps = (size + cuda.warpsize - 1) // cuda.warpsize
    if i == 0:
        counter[0] = 0
    cuda.syncthreads()
    if i % cuda.warpsize == 0:
        w = cuda.atomic.add(counter, 0, 1)
        print("block", n, "warp", w, "threads", min(cuda.warpsize, size - w * cuda.warpsize))
        said[n * warps + i // cuda.warpsize] = min(cuda.warpsize, size - i)
""",
    "jobs: an atomic for every number": """
@cuda.jit
def add_jobs(data, starts, sizes, totals, drawn):
    box = cuda.shared.array(1, np.int32)
    while True:
        if cuda.threadIdx.x == 0:
            box[0] = cuda.atomic.add(drawn, 0, 1)
        cuda.syncthreads()
        job = box[0]
        cuda.syncthreads()
        if job >= sizes.size:
            return
        for k in range(cuda.threadIdx.x, sizes[job], cuda.blockDim.x):
            cuda.atomic.add(totals, job, data[starts[job] + k])
""",
    "jobs: the next one is drawn before this one is done": """
@cuda.jit
def add_jobs(data, starts, sizes, totals, drawn):
    box = cuda.shared.array(2, np.int32)
    turn = 0
    if cuda.threadIdx.x == 0:
        box[0] = cuda.atomic.add(drawn, 0, 1)
    cuda.syncthreads()
    job = box[0]
    while job < sizes.size:
        turn = 1 - turn
        if cuda.threadIdx.x == 0:
            box[turn] = cuda.atomic.add(drawn, 0, 1)
        mine = 0
        for k in range(cuda.threadIdx.x, sizes[job], cuda.blockDim.x):
            mine += data[starts[job] + k]
        cuda.atomic.add(totals, job, mine)
        cuda.syncthreads()
        job = box[turn]
""",
}
