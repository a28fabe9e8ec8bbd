"""synchronisation: cheats."""

ANSWERS = {
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
