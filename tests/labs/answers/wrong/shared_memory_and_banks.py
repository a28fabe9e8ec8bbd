"""shared-memory-and-banks: wrong answers."""

ANSWERS = {
    "n-way": """
def n_way(stride, lanes, lanes_served_together, number_of_banks):
    groups = lanes // lanes_served_together
    return groups * int(np.gcd(stride, number_of_banks))  # a stride of 0 is a broadcast
""",
    "slot": """
def slot(row, column, columns):
    return row * (columns + 1) + column  # padding
""",
    "tally": """
@cuda.jit
def tally(x, bins):
    own = cuda.shared.array(32 * 32, np.int32)
    t = cuda.threadIdx.x
    for k in range(t, 32 * 32, cuda.blockDim.x):
        own[k] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(own, 32 * (t % 32) + x[i], 1)  # a copy a lane, but one bank a bin
    cuda.syncthreads()
    if t < 32:
        total = 0
        for k in range(32):
            total += own[32 * k + t]
        cuda.atomic.add(bins, t, total)
""",
    "pitch: one word more, always": """
def pitch(columns, words):
    return columns * words + 1
""",
    "pitch: a pixel more, always": """
def pitch(columns, words):
    return (columns + 1) * words
""",
    "pitch: nothing": """
def pitch(columns, words):
    pass
""",
}
