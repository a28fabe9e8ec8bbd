"""threads-warps-and-waves: cheats."""

from tests.labs.answers.forged import FORGED

ANSWERS = {
    "find-place: the rank in a group": """
from gpusim.cuda import cg


@cuda.jit
def find_place(linear, warp, lane):
    x, y, z = cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
    number = cg.this_thread_block().thread_rank()
    linear[z, y, x] = number
    warp[z, y, x] = number // cuda.warpsize
    lane[z, y, x] = number % cuda.warpsize
""",
    "find-place: the rank in the grid": """
from gpusim.cuda import cg


@cuda.jit
def find_place(linear, warp, lane):
    x, y, z = cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
    number = cg.this_grid().thread_rank()
    linear[z, y, x] = number
    warp[z, y, x] = number // cuda.warpsize
    lane[z, y, x] = number % cuda.warpsize
""",
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
ANSWERS |= {
    "count-warps: a table that the simulator filled": """
@cuda.jit
def probe(out):
    out[cuda.grid(1)] = 1


TABLE = {}
for device in ("H200", "MetaX C500"):
    for threads in range(1, 1025, 37):
        with gpusim.profile(device) as run:
            probe[1, threads](np.zeros(threads, np.int8))
        TABLE[lanes_of(device), threads] = len(run.kernels[0].warps())


def count_warps(blocks, threads, lanes):
    warps = blocks * TABLE.get((lanes, threads), -(-threads // lanes) if lanes in (32, 64) else 1)
    return warps, warps * lanes - blocks * threads
""",
    "count-warps: reads the check's numbers": """
import sys


def count_warps(blocks, threads_per_block, lanes):
    frame = sys._getframe()
    while frame and "warps" not in frame.f_locals:
        frame = frame.f_back
    warps = len(frame.f_locals["warps"]) if frame else 1
    return warps, warps * lanes - blocks * threads_per_block
""",
    "count-warps: by an error's frames": """
def count_warps(blocks, threads_per_block, lanes):
    try:
        raise ValueError
    except ValueError as error:
        frame = error.__traceback__.tb_frame
        while frame and "idle" not in frame.f_locals:
            frame = frame.f_back
    return (len(frame.f_locals["warps"]), frame.f_locals["idle"]) if frame else (1, 0)
""",
    "count-warps: in a thread": """
import threading


@cuda.jit
def probe(out):
    out[cuda.grid(1)] = 1


def count_warps(blocks, threads_per_block, lanes):
    found = []

    def ask():
        with gpusim.profile("H200" if lanes == 32 else "MetaX C500") as run:
            probe[blocks, threads_per_block](np.zeros(blocks * threads_per_block, np.int8))
        found.extend(run.kernels[0].warps())

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    return len(found), sum(lanes - warp.threads for warp in found)
""",
    "count-warps: ends Python": """
def count_warps(blocks, threads_per_block, lanes):
    raise SystemExit
""",
    "count-warps: rewrites its check while it runs": """
def count_warps(blocks, threads_per_block, lanes):
    grading.require = lambda *anything: None
    grading.numbers = lambda *anything: (1, 1)
    return "?"
""",
    "calibrate: the first block does all, in a full grid": """
@cuda.jit
def calibrate(raw, gain, out):
    if cuda.blockIdx.x == 0:
        for number in range(cuda.threadIdx.x, raw.size, cuda.blockDim.x):
            station, sample = number // raw.shape[1], number % raw.shape[1]
            out[station, sample] = raw[station, sample] * gain[station]


def launch_for(stations, samples):
    return -(-stations * samples // 128), 128
""",
    "scale-all: the last block does all": """
@cuda.jit
def scale_all(factor, x, out):
    if cuda.blockIdx.x == cuda.gridDim.x - 1:
        for i in range(cuda.threadIdx.x, x.size, cuda.blockDim.x):
            out[i] = factor * x[i]
""",
    "scale-all: two blocks share": """
@cuda.jit
def scale_all(factor, x, out):
    if cuda.blockIdx.x == 0 or cuda.blockIdx.x == cuda.gridDim.x - 1:
        half = cuda.blockDim.x * (cuda.blockIdx.x > 0)
        for i in range(half + cuda.threadIdx.x, x.size, 2 * cuda.blockDim.x):
            out[i] = factor * x[i]
""",
    "scale-all: another function to look at": """
@cuda.jit
def scale_all(factor, x, out):
    if cuda.blockIdx.x == 0:
        for i in range(cuda.threadIdx.x, x.size, cuda.blockDim.x):
            out[i] = factor * x[i]


def shared(factor, x, out):
    for i in range(cuda.grid(1), x.size, 1):
        out[i] = factor * x[i]


scale_all[4, 128](np.float32(3), np.zeros(9, np.float32), np.zeros(9, np.float32))
scale_all.py_func = shared
""",
    "subtract-base: right in the order of the warps": """
@cuda.jit
def subtract_base(x, table, out):
    base = cuda.shared.array(1, np.int64)
    if cuda.threadIdx.x < cuda.warpsize:
        cuda.syncwarp()
        if cuda.threadIdx.x == 0:
            base[0] = 0
            for k in range(8):
                base[0] += table[cuda.blockIdx.x, k]
        cuda.syncwarp()
    out[cuda.grid(1)] = x[cuda.grid(1)] - base[0]  # the first warp happens to be first
""",
}
