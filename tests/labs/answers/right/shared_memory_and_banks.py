"""shared-memory-and-banks: right answers in other forms."""

ANSWERS = {
    "predictions: a table": """
table = np.array([[2, 1, 2], [16, 8, 16], [2, 1, 2], [8, 8, 16], [2, 1, 2], [2, 1, 2]])
devices = ("G80", "H200", "MetaX C500")
predicted = {name: dict(zip(devices, row.tolist())) for name, row in zip("ABCDEF", table)}
""",
    "n-way: by counting": """
def n_way(stride, lanes, lanes_served_together, number_of_banks):
    words = {stride * lane for lane in range(lanes_served_together)}
    queues = np.bincount([word % number_of_banks for word in words])
    return lanes / lanes_served_together * queues.max()
""",
    "pitch: with or": """
def pitch(columns, words):
    return np.int32((columns | 1) * words)
""",
    "slot: a rotation": """
def slot(row, column, columns):
    return row * columns + (column + row) % columns
""",
    "tally: as an array of two dimensions": """
@cuda.jit
def tally(x, bins):
    own = cuda.shared.array((32, 32), np.int32)
    t, copy = cuda.threadIdx.x, cuda.threadIdx.x % 32
    for row in range(t // 32, 32, cuda.blockDim.x // 32):
        own[row, copy] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    while i < x.size:
        cuda.atomic.add(own, (x[i], copy), 1)
        i += cuda.gridsize(1)
    cuda.syncthreads()
    if t < 32:
        total = 0
        for k in range(32):
            total += own[t, (31 - k) ^ t]
        cuda.atomic.add(bins, t, total)
""",
}
ANSWERS |= {
    "n-way: with a counter": """
from collections import Counter


def n_way(stride, lanes, lanes_served_together, number_of_banks):
    total = 0
    for first in range(0, lanes, lanes_served_together):
        words = {stride * lane for lane in range(first, first + lanes_served_together)}
        total += max(Counter(word % number_of_banks for word in words).values())
    return np.float64(total)
""",
    "n-way: by math": """
def n_way(stride, lanes, lanes_served_together, number_of_banks):
    import math

    way = math.gcd(stride, number_of_banks) if stride != 0 else 1
    return way * lanes / lanes_served_together
""",
    "pitch: with if": """
def pitch(columns, words):
    if columns % 2 == 1:
        return columns * words
    else:
        return columns * words + words
""",
    "pitch: by trying": """
def pitch(columns, words):
    together = 32 // words
    candidate = columns * words
    while len({candidate * row % 32 // words for row in range(together)}) < together:
        candidate += words
    return candidate
""",
    "slot: modulo, xor the other way round": """
def slot(row, column, columns):
    return columns * row + ((row % 16) ^ column)
""",
    "slot: a rotation backwards": """
def slot(row, column, columns):
    return row * columns + (column - row) % columns
""",
    "tally: half of the threads add up": """
@cuda.jit
def tally(x, bins):
    own = cuda.shared.array(1024, np.int32)
    t = cuda.threadIdx.x
    k = t
    while k < 1024:
        own[k] = 0
        k += cuda.blockDim.x
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(own, x[i] * 32 + t % 32, np.int32(1))
    cuda.syncthreads()
    if t < 64:
        total = 0
        for k in range(16):
            total += own[32 * (t % 32) + (t % 32 + k + 16 * (t // 32)) % 32]
        cuda.atomic.add(bins, t % 32, total)
""",
    "slot: a lambda": """
slot = lambda row, column, columns: row * columns + (column ^ (row & 15))
""",
    "slot: by a function of its own": """
@cuda.jit(device=True)
def turned(row, column):
    return column ^ (row & 15)


def slot(row, column, columns):
    return row * columns + turned(row, column)
""",
}
