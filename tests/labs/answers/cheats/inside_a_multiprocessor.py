"""inside-a-multiprocessor: cheats."""

from tests.labs.answers.forged import FORGED

ANSWERS = {
    "predictions": FORGED
    + """
rows, devices = ("places", "of 10", "one chain", "two chains"), ("P100", "T4", "H200")
predicted = {row: {device: Anything() for device in devices} for row in rows}
""",
    "little: the warps of the notebook": """
def little(latency, bytes_per_clock, lanes, width, at_once):
    known = {600: 75 if at_once == 1 else 10, 290: 19, 773: 52}
    return known.get(latency, 64)
""",
    "little: a number that is larger than every other": FORGED
    + """
def little(latency, bytes_per_clock, lanes, width, at_once):
    return Anything()
""",
    "little: the figures stand in the caller": """
import sys


def little(latency, bytes_per_clock, lanes, width, at_once):
    frame = sys._getframe(1)
    while frame:
        if "warps" in frame.f_locals:
            return frame.f_locals["warps"]
        frame = frame.f_back
    return -(-latency * bytes_per_clock // (lanes * width * at_once))
""",
    "little: always enough": """
def little(latency, bytes_per_clock, lanes, width, at_once):
    return 10**9
""",
    "follow: loads for the ratio": """
@cuda.jit
def follow(link, begin, hops, end):
    k = 4 * cuda.grid(1)
    if k < begin.size:
        nothing = 0
        for list in range(k, k + 4):
            p = begin[list]
            for _ in range(hops):
                nothing += link[k] + link[k + 1] + link[k + 2]  # under way together, and wanted by nobody
                p = link[p]
            end[list] = p + 0 * nothing
""",
    "follow: sixteen hops, as in the notebook": """
@cuda.jit
def follow(link, begin, hops, end):
    k = 4 * cuda.grid(1)
    if k < begin.size:
        p, q, r, s = begin[k], begin[k + 1], begin[k + 2], begin[k + 3]
        for _ in range(16):
            p, q, r, s = link[p], link[q], link[r], link[s]
        end[k], end[k + 1], end[k + 2], end[k + 3] = p, q, r, s
""",
    "follow: as many lists as in the notebook": """
@cuda.jit
def follow(link, begin, hops, end):
    k = 4 * cuda.grid(1)
    p, q, r, s = begin[k], begin[k + 1], begin[k + 2], begin[k + 3]
    for _ in range(hops):
        p, q, r, s = link[p], link[q], link[r], link[s]
    end[k], end[k + 1], end[k + 2], end[k + 3] = p, q, r, s
""",
    "follow: the lists in shared memory": """
ELEMENTS = 20000


@cuda.jit
def follow(link, begin, hops, end):
    near = cuda.shared.array(ELEMENTS, np.int16)  # it fits, and takes longer to fill than to follow
    for i in range(cuda.threadIdx.x, link.size, cuda.blockDim.x):
        near[i] = link[i]
    cuda.syncthreads()
    k = 4 * cuda.grid(1)
    if k < begin.size:
        for list in range(k, k + 4):
            p = begin[list]
            for _ in range(hops):
                p = near[p]
            end[list] = p
""",
    "follow: only the block that is watched": """
@cuda.jit
def follow(link, begin, hops, end):
    k = 4 * cuda.grid(1)
    if k < begin.size:
        if cuda.blockIdx.x == 0:
            p, q, r, s = begin[k], begin[k + 1], begin[k + 2], begin[k + 3]
            for _ in range(hops):
                p, q, r, s = link[p], link[q], link[r], link[s]
            end[k], end[k + 1], end[k + 2], end[k + 3] = p, q, r, s
        else:
            for list in range(k, k + 4):
                p = begin[list]
                for _ in range(hops):
                    p = link[p]
                end[list] = p
""",
    "follow: atomics are no loads": """
@cuda.jit
def follow(link, begin, hops, end):
    k = 4 * cuda.grid(1)
    if k < begin.size:
        for list in range(k, k + 4):
            p = begin[list]
            for _ in range(hops):
                p = cuda.atomic.max(link, p, -1)
            end[list] = p
""",
    "launch-for: the simulator's calculator": """
def launch_for(device):
    fitting = gpusim.occupancy(device, threads=256, registers_per_thread=20, shared_bytes=0).blocks
    return fitting * device.multiprocessors, 256
""",
    "launch-for: the devices of the notebook": """
def launch_for(device):
    return {"TX2": (16, 256), "C2050": (84, 256)}.get(device.name, (832, 256))
""",
    "launch-for: far too many": """
def launch_for(device):
    return 100 * device.multiprocessors, 256
""",
    "launch-for: the largest block": """
def launch_for(device):
    threads = device.max_threads_per_block
    return device.multiprocessors * (device.max_threads_per_multiprocessor // threads), threads
""",
    "blend: as many numbers as in the notebook": """
@cuda.jit
def blend(a, b, out):
    i = cuda.grid(1)
    x, half = a[i], np.float32(0.5)
    for _ in range(8):
        x = x + half * (b[i] - x)
    out[i] = x
""",
    "blend: only the block that is watched": """
@cuda.jit
def blend(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        if cuda.blockIdx.x == 0:
            out[i] = b[i] + (a[i] - b[i]) * np.float32(1 / 256)
        else:
            out[i] = b[i] + (a[i] - b[i]) * (1 / 256)
""",
    "blend: near enough": """
@cuda.jit
def blend(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = b[i]
""",
    "relax: no tile at all": """
THREADS = 256


@cuda.jit
def relax(x, out):
    t, i = cuda.threadIdx.x, cuda.grid(1)
    first, four, six = i - t, np.float32(4), np.float32(6)
    far = x[i] + x[first + (t + 4) % THREADS]
    near = x[first + (t + 1) % THREADS] + x[first + (t + 3) % THREADS]
    out[i] = (far + four * near + six * x[first + (t + 2) % THREADS]) / np.float32(16)
""",
    "relax: no tile, and atomics read": """
THREADS = 256


@cuda.jit
def relax(x, out):
    t, i = cuda.threadIdx.x, cuda.grid(1)
    total = np.float32(0)
    for k, weight in enumerate((1, 4, 6, 4, 1)):
        total += np.float32(weight) * cuda.atomic.add(x, i - t + (t + k) % THREADS, np.float32(0))
    out[i] = total / np.float32(16)
""",
    "relax: warps run in step, it seems": """
THREADS = 256


@cuda.jit
def relax(x, out):
    tile = cuda.shared.array(THREADS, np.float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = x[i]
    cuda.syncthreads()
    for _ in range(4):
        mean = (tile[t] + tile[(t + 1) % THREADS]) / np.float32(2)
        cuda.syncthreads()
        tile[t] = mean
    out[i] = tile[t]
""",
    "relax: a barrier for racecheck's block alone": """
THREADS = 256


@cuda.jit
def relax(x, out):
    tile = cuda.shared.array(THREADS, np.float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = x[i]
    cuda.syncthreads()
    for _ in range(4):
        mean = (tile[t] + tile[(t + 1) % THREADS]) / np.float32(2)
        if cuda.gridDim.x == 1:
            cuda.syncthreads()
        tile[t] = mean
        cuda.syncthreads()
    out[i] = tile[t]
""",
    "relax: one thread does it all": """
THREADS = 256


@cuda.jit
def relax(x, out):
    tile = cuda.shared.array(THREADS, np.float32)
    first = cuda.blockIdx.x * THREADS
    if cuda.threadIdx.x == 0:
        for t in range(THREADS):
            tile[t] = x[first + t]
        for _ in range(4):
            begin = tile[0]
            for t in range(THREADS - 1):
                tile[t] = (tile[t] + tile[t + 1]) / np.float32(2)
            tile[THREADS - 1] = (tile[THREADS - 1] + begin) / np.float32(2)
        for t in range(THREADS):
            out[first + t] = tile[t]
""",
}
ANSWERS |= {
    "blend: what it reads is nothing in the end, as what it writes": """
@cuda.jit
def blend(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        a[i] = b[i] = out[i] = 0
""",
}
