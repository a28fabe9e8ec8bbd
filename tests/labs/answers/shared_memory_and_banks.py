"""shared-memory-and-banks: what may students write? Wrong, by a cheat, right in another form."""

from tests.labs.answers.forged import FORGED

WRONG = {
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

CHEATS = {
    "predictions": FORGED
    + """
predicted = {name: dict.fromkeys(("G80", "H200", "MetaX C500"), Anything()) for name in "ABCDEF"}
""",
    "n-way": """
def n_way(stride, lanes, lanes_served_together, number_of_banks):
    groups = lanes // lanes_served_together
    seen = {0: 1, 1: 1, 2: 2, 3: 1, 4: 4, 6: 2, 8: 8, 12: 4, 16: 16, 17: 1, 32: 32, 33: 1}  # the check's
    return groups * min(seen.get(stride, 1), number_of_banks)
""",
    "slot": """
def slot(row, column, columns):
    return row * columns + (column ^ row) % columns if columns == 16 else row * columns + (column ^ row & 7)
""",
    "tally": """
@cuda.jit
def tally(x, bins):
    own = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    if t < 32:  # no atomic in shared memory: one thread a bin looks at everything
        own[t] = 0
        for i in range(cuda.blockIdx.x, x.size, cuda.gridDim.x):
            if x[i] == t:
                own[t] += 1
        cuda.atomic.add(bins, t, own[t])
""",
    "pitch: a whole row more": """
def pitch(columns, words):
    return words * (2 * columns + 1)
""",
    "n-way: asks the simulator": """
from gpusim.measurements import banks


def n_way(stride, lanes, lanes_served_together, number_of_banks):
    device = {16: "G80", 32: "H200"}.get(number_of_banks, "H200") if lanes == 32 else "MetaX C500"
    addresses = 4 * stride * np.arange(lanes)[None]
    return int(banks.wavefronts(addresses, np.ones((1, lanes), bool), 4, device)[0])
""",
    "predictions: other places": """
PLACES = {name: lambda t: 16 * t for name in "ABCDEF"}
predicted = {name: {"G80": 32, "H200": 16, "MetaX C500": 32} for name in "ABCDEF"}
""",
    "tally: every lane of a warp looks at everything": """
@cuda.jit
def tally(x, bins):
    own = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    lane = cuda.laneid
    mine = 0
    for first in range(i - lane, x.size, cuda.gridsize(1)):
        value = x[first + lane] if first + lane < x.size else -1
        for k in range(cuda.warpsize):
            mine += cuda.shfl_sync(-1, value, k) == lane
    if t < 64:
        own[t] = 0
    cuda.syncthreads()
    if t < 32:
        cuda.atomic.add(own, t, 0)
    if lane < 32:
        cuda.atomic.add(bins, lane, mine)
""",
}

RIGHT = {
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

# the points, and the answer
PARTLY = {
    "predictions: as if every device had 32 banks for all its lanes": (
        0.75,
        """
predicted = {  # as if every device had 32 banks for all its lanes
    "A": {"G80": 1, "H200": 1, "MetaX C500": 1},
    "B": {"G80": 8, "H200": 8, "MetaX C500": 8},
    "C": {"G80": 1, "H200": 1, "MetaX C500": 1},
    "D": {"G80": 8, "H200": 8, "MetaX C500": 8},
    "E": {"G80": 1, "H200": 1, "MetaX C500": 1},
    "F": {"G80": 1, "H200": 1, "MetaX C500": 1},
}
""",
    ),
}
