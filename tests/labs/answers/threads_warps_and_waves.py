"""threads-warps-and-waves: what may students write? Wrong, by a cheat, right in another form."""

from tests.labs.answers.forged import FORGED

WRONG = {
    "find-place": """
@cuda.jit
def find_place(linear, warp, lane):
    x, y, z = cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
    linear[z, y, x] = z + cuda.blockDim.z * (y + cuda.blockDim.y * x)  # z fastest
    warp[z, y, x] = x // cuda.warpsize  # y and z forgotten
    lane[z, y, x] = x % cuda.warpsize
""",
    "count-warps": """
def count_warps(blocks, threads_per_block, lanes):
    warps = -(-blocks * threads_per_block // lanes)  # as if a warp could span blocks
    return warps, warps * lanes - blocks * threads_per_block
""",
    "calibrate": """
@cuda.jit
def calibrate(raw, gain, out):
    station = cuda.blockIdx.x
    sample = cuda.threadIdx.x
    while sample < raw.shape[1]:  # whole warps, but still a block for each station
        out[station, sample] = raw[station, sample] * gain[station]
        sample += cuda.blockDim.x


def launch_for(stations, samples):
    return stations, 128
""",
    "scale-all": """
@cuda.jit
def scale_all(factor, x, out):
    for i in range(cuda.grid(1), x.size, cuda.blockDim.x):  # elements computed once by every block before
        out[i] = factor * x[i]
""",
    "subtract-base": """
@cuda.jit
def subtract_base(x, table, out):
    i = cuda.grid(1)
    shared_base = cuda.shared.array(1, np.int64)
    if cuda.threadIdx.x == 0:
        base = 0
        for k in range(table.shape[1]):
            base += table[cuda.blockIdx.x, k]
        shared_base[0] = base
    out[i] = x[i] - shared_base[0]  # no barrier
""",
    "count-warps: a word instead of numbers": """
def count_warps(blocks, threads_per_block, lanes):
    return "7 warps and 24 idle lanes"
""",
    "scale-all: forgotten decorator": """
def scale_all(factor, x, out):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        out[i] = factor * x[i]
""",
}

CHEATS = {
    "count-warps": FORGED
    + """
def count_warps(blocks, threads_per_block, lanes):
    return Anything(), Anything()
""",
    "calibrate": """
@cuda.jit
def calibrate(raw, gain, out):
    number = cuda.grid(1)
    if number < raw.size:
        station, sample = number // raw.shape[1], number % raw.shape[1]
        out[station, sample] = raw[station, sample] * gain[station]


def launch_for(stations, samples):
    return -(-stations * samples // 32), 32  # half of every wave of 64 is idle
""",
    "scale-all": """
@cuda.jit
def scale_all(factor, x, out):
    each = (x.size + cuda.gridsize(1) - 1) // cuda.gridsize(1)
    first = cuda.grid(1) * each  # every element once, but lanes are far apart
    for i in range(first, min(first + each, x.size)):
        out[i] = factor * x[i]
""",
    "subtract-base": """
@cuda.jit
def subtract_base(x, table, out):
    i = cuda.grid(1)
    shared_base = cuda.shared.array(1, np.int64)
    if cuda.threadIdx.x % cuda.warpsize == 0:  # once for each warp, not for each block
        base = 0
        for k in range(table.shape[1]):
            base += table[cuda.blockIdx.x, k]
        shared_base[0] = base
    cuda.syncthreads()
    out[i] = x[i] - shared_base[0]
""",
    "count-warps: launches and counts": """
@cuda.jit
def probe(out):
    out[cuda.grid(1)] = 1


def count_warps(blocks, threads_per_block, lanes):
    with gpusim.profile("H200" if lanes == 32 else "MetaX C500") as run:
        probe[blocks, threads_per_block](np.zeros(blocks * threads_per_block, np.int8))
    warps = run.kernels[0].warps()
    return len(warps), sum(lanes - warp.threads for warp in warps)
""",
    "subtract-base: through global memory": """
@cuda.jit
def subtract_base(x, table, out):
    i = cuda.grid(1)
    first = cuda.blockIdx.x * cuda.blockDim.x
    if cuda.threadIdx.x == 0:
        base = 0
        for k in range(table.shape[1]):
            base += table[cuda.blockIdx.x, k]
        out[first] = base
    cuda.syncthreads()
    base = out[first]
    cuda.syncthreads()
    out[i] = x[i] - base
""",
    "scale-all: no kernel at all": """
@cuda.jit
def cheap(out):
    out[cuda.grid(1)] = 1


class Fake:
    def __init__(self, does):
        self.does = does

    def __getitem__(self, configuration):
        def launch(*arguments):
            cheap[1, 64](np.zeros(64))
            self.does(*arguments)

        return launch


def scaled(factor, x, out):
    out[:] = factor * x


scale_all = Fake(scaled)
""",
    "scale-all: one block does all": """
@cuda.jit
def scale_all(factor, x, out):
    if cuda.blockIdx.x == 0:
        for i in range(cuda.threadIdx.x, x.size, cuda.blockDim.x):
            out[i] = factor * x[i]
""",
    "scale-all: atomics instead of stores": """
@cuda.jit
def scale_all(factor, x, out):
    for i in range(x.size):  # every thread computes everything
        cuda.atomic.max(out, i, factor * x[i])
""",
    "subtract-base: atomics instead of loads": """
@cuda.jit
def subtract_base(x, table, out):
    unused = cuda.shared.array(1, np.int64)
    i = cuda.grid(1)
    base = 0
    for k in range(table.shape[1]):
        base += cuda.atomic.add(table, (cuda.blockIdx.x, k), 0)
    unused[0] = 0
    out[i] = x[i] - base
""",
    "calibrate: one block does all": """
@cuda.jit
def calibrate(raw, gain, out):
    for number in range(cuda.threadIdx.x, raw.size, cuda.blockDim.x):
        station, sample = number // raw.shape[1], number % raw.shape[1]
        out[station, sample] = raw[station, sample] * gain[station]


def launch_for(stations, samples):
    return 1, 128
""",
    "calibrate: every thread does all": """
@cuda.jit
def calibrate(raw, gain, out):
    for number in range(raw.size):
        station, sample = number // raw.shape[1], number % raw.shape[1]
        out[station, sample] = raw[station, sample] * gain[station]


def launch_for(stations, samples):
    return -(-stations * samples // 1024), 1024
""",
}

RIGHT = {
    "find-place": """
@cuda.jit
def find_place(linear, warp, lane):
    x, y, z = cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
    number = (z * cuda.blockDim.y + y) * cuda.blockDim.x + x
    linear[z, y, x] = number
    warp[z, y, x] = 0
    while number >= cuda.warpsize:
        number -= cuda.warpsize
        warp[z, y, x] += 1
    lane[z, y, x] = number
""",
    "count-warps: a list, of floats": """
def count_warps(blocks, threads_per_block, lanes):
    in_a_block = np.ceil(threads_per_block / lanes)
    return [blocks * in_a_block, blocks * (in_a_block * lanes - threads_per_block)]
""",
    "count-warps: an array": """
def count_warps(blocks, threads_per_block, lanes):
    warps = blocks * ((threads_per_block + lanes - 1) // lanes)
    return np.array([warps, warps * lanes - blocks * threads_per_block])
""",
    "calibrate: 256 threads, a list": """
@cuda.jit
def calibrate(raw, gain, out):
    number = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if number >= raw.size:
        return
    station, sample = divmod(number, raw.shape[1])
    out[station, sample] = gain[station] * raw[station, sample]


def launch_for(stations, samples):
    return [(stations * samples + 255) // 256, np.int64(256)]
""",
    "scale-all: with while": """
@cuda.jit
def scale_all(factor, x, out):
    i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    while i < x.size:
        out[i] = factor * x[i]
        i += cuda.gridDim.x * cuda.blockDim.x
""",
    "subtract-base: the last thread adds up": """
@cuda.jit
def subtract_base(x, table, out):
    sums = cuda.shared.array(2, np.int64)
    if cuda.threadIdx.x == cuda.blockDim.x - 1:
        sums[1] = 0
        for k in range(table.shape[1]):
            sums[1] += table[cuda.blockIdx.x, k]
    cuda.syncthreads()
    i = cuda.grid(1)
    out[i] = x[i] - sums[1]
""",
}

# the points, and the answer
PARTLY = {
    "find-place: the lane from its register": (
        2.0,
        """
@cuda.jit
def find_place(linear, warp, lane):
    x, y, z = cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
    number = x + cuda.blockDim.x * (y + cuda.blockDim.y * z)
    linear[z, y, x] = number
    warp[z, y, x] = number // cuda.warpsize
    lane[z, y, x] = cuda.laneid  # not by formula
""",
    ),
}
