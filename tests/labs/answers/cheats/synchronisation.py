"""synchronisation: cheats."""

from tests.labs.answers.forged import FORGED

ANSWERS = {
    "predictions": FORGED
    + """
predicted = {
    "streams": {name: Anything() for name in "abcdef"},
    "kernels": {name: Anything() for name in "ghij"},
}
""",
    "pipeline: the host computes": """
def pipeline(pieces, results):
    x, out = cuda.device_array(8, np.int32), cuda.device_array(8, np.int32)
    triple[1, 8](x, out)
    cuda.synchronize()
    for piece, result in zip(pieces, results):
        result[:] = 3 * piece
""",
    "pipeline: the checks' kernel is another": """
def pipeline(pieces, results):
    for piece, result in zip(pieces, results):
        result[:] = 3 * piece


def copies_that_overlap(streams):
    return 99
""",
    "queue: a barrier at every value": """
@cuda.jit
def queue(x, out):
    ring = cuda.shared.array(4, np.int32)
    t = cuda.threadIdx.x
    for k in range(x.size):
        if t == 0:
            ring[k % 4] = x[k]
        cuda.syncthreads()
        if t == cuda.warpsize:
            out[k] = ring[k % 4]
        cuda.syncthreads()
""",
    "queue: the consumer takes x, and goes through the motions": """
@cuda.jit
def queue(x, out):
    ring = cuda.shared.array(4, np.int32)
    count = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    if t == cuda.warpsize:
        count[0] = 0
        for k in range(x.size):
            ring[k % 4] = x[k]
            cuda.atomic.add(count, 0, 1)
            cuda.atomic.add(count, 0, 1)
            out[k] = ring[k % 4]
""",
    "total-of: one block does all parts": """
@cuda.jit
def total_of(x, partial, arrived, total):
    if cuda.threadIdx.x == 0:
        cuda.atomic.exch(arrived, 0, 0)
    if cuda.grid(1) == 0:
        found = 0
        for b in range(cuda.gridDim.x):
            part = 0
            for k in range(cuda.blockDim.x):
                part += x[b * cuda.blockDim.x + k]
            partial[b] = part
            found += part
        total[0] = found
""",
    "queue: the consumer reads x itself": """
@cuda.jit
def queue(x, out):
    if cuda.threadIdx.x == cuda.warpsize:
        for k in range(x.size):
            out[k] = x[k]
""",
    "total-of: atomics add up": """
@cuda.jit
def total_of(x, partial, arrived, total):
    if cuda.grid(1) == 0:
        found = 0
        for k in range(x.size):
            found += x[k]
        total[0] = found
""",
}
ANSWERS |= {
    "predictions: the check's own programs are asked": """
predicted = {
    "streams": dict.fromkeys("abcdef", ["ordered", "not"]),
    "kernels": dict.fromkeys("ghij", ("ordered", "not")),
}
""",
    "pipeline: copies that nobody needs overlap": """
def pipeline(pieces, results):
    queue, aside = cuda.stream(), cuda.stream()
    for piece, result in zip(pieces, results):
        d_x = cuda.device_array(piece.size, np.int32)
        d_out = cuda.device_array(piece.size, np.int32)
        cuda.device_array(piece.size, np.int32).copy_to_device(piece, stream=aside)
        d_x.copy_to_device(piece, stream=queue)
        triple[1, piece.size, queue](d_x, d_out)
        d_out.copy_to_host(result, stream=queue)
    cuda.synchronize()
""",
    "pipeline: no launch at all": """
def pipeline(pieces, results):
    for piece, result in zip(pieces, results):
        d_x = cuda.to_device(3 * np.array(piece))
        d_x.copy_to_host(result)
""",
    "queue: one thread does both": """
@cuda.jit
def queue(x, out):
    ring = cuda.shared.array(4, np.int32)
    if cuda.threadIdx.x == 0:
        for k in range(x.size):
            ring[k % 4] = x[k]
            out[k] = ring[k % 4]
""",
    "total-of: the parts are written, the sum is atomic": """
@cuda.jit
def total_of(x, partial, arrived, total):
    i = cuda.grid(1)
    if i == 0:
        cuda.atomic.add(total, 0, 1)  # from -1 to 0
    cuda.atomic.add(partial, cuda.blockIdx.x, x[i])
    cuda.atomic.add(total, 0, x[i])
""",
}
