"""threads-warps-and-waves: wrong answers."""

ANSWERS = {
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
