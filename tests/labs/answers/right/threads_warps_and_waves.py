"""threads-warps-and-waves: right answers in other forms."""

ANSWERS = {
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
ANSWERS |= {
    "find-place: with divmod and a device function": """
@cuda.jit(device=True)
def in_line(place, size):
    return (place.z * size.y + place.y) * size.x + place.x


@cuda.jit
def find_place(linear, warp, lane):
    x, y, z = cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
    number = x + cuda.blockDim.x * y + cuda.blockDim.x * cuda.blockDim.y * z
    linear[z, y, x] = number
    warp[z, y, x], lane[z, y, x] = divmod(number, cuda.warpsize)
""",
    "count-warps: a lambda": """
count_warps = lambda blocks, threads, lanes: (blocks * -(-threads // lanes), blocks * (-threads % lanes))
""",
    "count-warps: by counting, in a class": """
import math
from dataclasses import dataclass


@dataclass
class Counter:
    lanes: int

    def __call__(self, blocks, threads):
        warps = [min(self.lanes, threads - first) for first in range(0, threads, self.lanes)]
        return blocks * len(warps), blocks * sum(self.lanes - used for used in warps)


def count_warps(blocks, threads_per_block, lanes):
    return Counter(lanes)(blocks, threads_per_block)
""",
    "calibrate: flat arrays": """
BLOCK = 192


@cuda.jit
def calibrate(raw, gain, out):
    number = cuda.grid(1)
    samples = raw.shape[1]
    if number < raw.shape[0] * samples:
        raw.reshape(raw.size)
        out.reshape(out.size)[number] = raw.reshape(raw.size)[number] * gain[number // samples]


def launch_for(stations, samples):
    return np.ceil(stations * samples / BLOCK), BLOCK
""",
    "scale-all: the last threads first": """
@cuda.jit
def scale_all(factor, x, out):
    threads = cuda.gridsize(1)
    for turn in range((x.size + threads - 1) // threads):
        i = turn * threads + cuda.grid(1)
        if i < x.size:
            out[i] = factor * x[i]
""",
    "subtract-base: eight threads read, one adds": """
@cuda.jit
def subtract_base(x, table, out):
    row = cuda.shared.array(8, np.int64)
    t = cuda.threadIdx.x
    if t < 8:
        row[t] = table[cuda.blockIdx.x, t]
    cuda.syncthreads()
    base = 0
    for k in range(8):
        base += row[k]
    out[cuda.grid(1)] = x[cuda.grid(1)] - base
""",
    "subtract-base: atomics in shared memory": """
@cuda.jit
def subtract_base(x, table, out):
    base = cuda.shared.array(1, np.int64)
    t = cuda.threadIdx.x
    if t == 0:
        base[0] = 0
    cuda.syncthreads()
    if t < table.shape[1]:
        cuda.atomic.add(base, 0, table[cuda.blockIdx.x, t])
    cuda.syncthreads()
    out[cuda.grid(1)] = x[cuda.grid(1)] - base[0]
""",
}
