"""inside-a-multiprocessor: right answers in other forms."""

ANSWERS = {
    "predictions: NumPy's numbers": """
rows = {"places": (64, 32, 64), "of 10": (5, 3, 3)}
rows |= {"one chain": (12, 8, 16), "two chains": (6, 4, 8)}
devices = ("P100", "T4", "H200")
predicted = {row: dict(zip(devices, np.array(numbers))) for row, numbers in rows.items()}
""",
    "little: a float without a fraction": """
import math


def little(latency, bytes_per_clock, lanes, width, at_once):
    return float(math.ceil(latency * bytes_per_clock / (lanes * width * at_once)))
""",
    "little: counts": """
def little(latency, bytes_per_clock, lanes, width, at_once):
    warps = 0
    while warps * lanes * width * at_once < latency * bytes_per_clock:
        warps += 1
    return np.int64(warps)
""",
    "follow: a while loop, two hops in a trip": """
@cuda.jit
def follow(link, begin, hops, end):
    k = cuda.grid(1) * 4
    if k >= begin.size:
        return
    p, q, r, s = begin[k], begin[k + 1], begin[k + 2], begin[k + 3]
    left = hops
    while left >= 2:
        p, q, r, s = link[p], link[q], link[r], link[s]
        p, q, r, s = link[p], link[q], link[r], link[s]
        left -= 2
    if left:
        p, q, r, s = link[p], link[q], link[r], link[s]
    end[k], end[k + 1], end[k + 2], end[k + 3] = p, q, r, s
""",
    "follow: lists side by side": """
@cuda.jit
def follow(link, begin, hops, end):
    i, n = cuda.grid(1), begin.size // 4  # thread i has the lists i, i + n, i + 2 n, i + 3 n: coalesced
    if i < n:
        a = begin[i]
        b = begin[i + n]
        c = begin[i + 2 * n]
        d = begin[i + 3 * n]
        for hop in range(hops):
            a = link[a]
            b = link[b]
            c = link[c]
            d = link[d]
        end[i] = a
        end[i + n] = b
        end[i + 2 * n] = c
        end[i + 3 * n] = d
""",
    "follow: counts down": """
@cuda.jit
def follow(link, begin, hops, end):
    k = 4 * cuda.grid(1)
    if k + 3 < begin.size:
        p = begin[k]
        q = begin[k + 1]
        r = begin[k + 2]
        s = begin[k + 3]
        for left in range(hops, 0, -1):
            p, q = link[p], link[q]
            r, s = link[r], link[s]
        end[k], end[k + 1] = p, q
        end[k + 2], end[k + 3] = r, s
""",
    "launch-for: a list, blocks of 512": """
def launch_for(device):
    return [np.int32(device.multiprocessors * device.max_threads_per_multiprocessor // 512), 512]
""",
    "launch-for: the smallest size that reaches all places": """
def launch_for(device):
    most, size = device.max_threads_per_multiprocessor, device.warp_size
    while most % size or most // size > device.max_blocks_per_multiprocessor:
        size += device.warp_size
    return most // size * device.multiprocessors, size
""",
    "blend: divides": """
@cuda.jit
def blend(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        x, goal = a[i], b[i]
        for _ in range(8):
            x += (goal - x) / np.float32(2)
        out[i] = x
""",
    "blend: the mean of both": """
@cuda.jit
def blend(a, b, out):
    half = np.float32(0.5)
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        x = a[i]
        for _ in range(8):
            x = half * x + half * b[i]
        out[i] = x
""",
    "blend: all eight steps at once": """
@cuda.jit
def blend(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = b[i] + (a[i] - b[i]) * np.float32(1 / 256)
""",
    "relax: a barrier after each write": """
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
        cuda.syncthreads()
    out[i] = tile[t]
""",
    "relax: two tiles in turn": """
THREADS = 256


@cuda.jit
def relax(x, out):
    tile = cuda.shared.array((2, THREADS), np.float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    value = x[i]
    for k in range(4):
        tile[k % 2, t] = value
        cuda.syncthreads()
        value = (value + tile[k % 2, (t + 1) % THREADS]) / np.float32(2)
    out[i] = value
""",
    "relax: each thread does four rounds of five numbers": """
THREADS = 256


@cuda.jit
def relax(x, out):
    tile = cuda.shared.array(THREADS, np.float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = x[i]
    cuda.syncthreads()
    far = tile[t] + tile[(t + 4) % THREADS]
    near = tile[(t + 1) % THREADS] + tile[(t + 3) % THREADS]
    out[i] = (far + np.float32(4) * near + np.float32(6) * tile[(t + 2) % THREADS]) / np.float32(16)
""",
}
