"""inside-a-multiprocessor: wrong answers."""

ANSWERS = {
    "little": """
def little(latency, bytes_per_clock, lanes, width, at_once):
    return latency * bytes_per_clock // (lanes * width * at_once)  # a part of a warp is left out
""",
    "little: one load at a time": """
def little(latency, bytes_per_clock, lanes, width, at_once):
    return -(-latency * bytes_per_clock // (lanes * width))
""",
    "follow: two and two": """
@cuda.jit
def follow(link, begin, hops, end):
    k = 4 * cuda.grid(1)
    if k < begin.size:
        for first in range(k, k + 4, 2):
            p, q = begin[first], begin[first + 1]
            for _ in range(hops):
                p, q = link[p], link[q]
            end[first], end[first + 1] = p, q
""",
    "follow: looks at each place before the next": """
@cuda.jit
def follow(link, begin, hops, end):
    k = 4 * cuda.grid(1)
    if k < begin.size:
        p, q, r, s = begin[k], begin[k + 1], begin[k + 2], begin[k + 3]
        for _ in range(hops):
            p = link[p]
            if p < 0:
                break
            q = link[q]
            if q < 0:
                break
            r = link[r]
            if r < 0:
                break
            s = link[s]
        end[k], end[k + 1], end[k + 2], end[k + 3] = p, q, r, s
""",
    "launch-for: small blocks, whose number is limited": """
def launch_for(device):
    threads = device.warp_size
    return device.multiprocessors * (device.max_threads_per_multiprocessor // threads), threads
""",
    "launch-for: for one multiprocessor": """
def launch_for(device):
    return device.max_threads_per_multiprocessor // 256, 256
""",
    "blend: rounds too late": """
@cuda.jit
def blend(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        x, goal = a[i], b[i]
        for _ in range(8):
            x = np.float32(x + 0.5 * (goal - x))
        out[i] = x
""",
    "blend: an integer beside a float": """
@cuda.jit
def blend(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        x, goal = a[i], b[i]
        for _ in range(8):
            x = (x + goal) / 2  # which is a double in Numba
        out[i] = x
""",
    "relax: one too many": """
THREADS = 256


@cuda.jit
def relax(x, out):
    tile = cuda.shared.array(THREADS, np.float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = x[i]
    for _ in range(4):
        cuda.syncthreads()
        mean = (tile[t] + tile[(t + 1) % THREADS]) / np.float32(2)
        tile[t] = mean  # while another warp may still have to read it
    out[i] = tile[t]
""",
}
