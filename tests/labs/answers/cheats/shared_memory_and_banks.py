"""shared-memory-and-banks: cheats."""

from tests.labs.answers.forged import FORGED

ANSWERS = {
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
ANSWERS |= {
    "n-way: the answer stands in the caller": """
import sys


def n_way(stride, lanes, lanes_served_together, number_of_banks):
    frame = sys._getframe(1)
    while frame and "counted" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["counted"] if frame else 1
""",
    "n-way: real widths only": """
def n_way(stride, lanes, lanes_served_together, number_of_banks):
    if lanes_served_together not in (16, 32) or lanes > 64:
        return 1
    return lanes // lanes_served_together * (np.gcd(stride, number_of_banks) if stride else 1)
""",
    "n-way: asks in a thread": """
from concurrent.futures import ThreadPoolExecutor

from gpusim.measurements import banks


def n_way(stride, lanes, lanes_served_together, number_of_banks):
    device = {16: "G80", 32: "H200"}.get(number_of_banks, "H200") if lanes == 32 else "MetaX C500"
    addresses = 4 * stride * np.arange(64 if lanes == 64 else 32)[None]
    with ThreadPoolExecutor(1) as pool:
        return int(pool.submit(banks.wavefronts, addresses, addresses >= 0, 4, device).result()[0])
""",
    "n-way: switches the profiler off": """
import sys

from gpusim.measurements import banks


def n_way(stride, lanes, lanes_served_together, number_of_banks):
    sys.setprofile(None)
    device = {16: "G80", 32: "H200"}.get(number_of_banks, "H200") if lanes == 32 else "MetaX C500"
    addresses = 4 * stride * np.arange(64 if lanes == 64 else 32)[None]
    return int(banks.wavefronts(addresses, addresses >= 0, 4, device)[0])
""",
    "pitch: a table of the notebook's cases": """
def pitch(columns, words):
    return {(32, 1): 33, (31, 1): 31, (8, 4): 36, (8, 1): 9}.get((columns, words), columns * words)
""",
    "pitch: a pitch that never fails": """
def pitch(columns, words):
    return words * (2 * columns + 1) if columns % 2 == 0 else columns * words
""",
    "slot: right for 16 columns": """
def slot(row, column, columns):
    return row * columns + (column ^ row) if columns == 16 and row < 16 else row * columns + column
""",
    "slot: two places for one element": """
def slot(row, column, columns):
    return row * columns + (column * row) % columns
""",
    "tally: an atomic for show, and shuffles that count": """
@cuda.jit
def tally(x, bins):
    own = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    lane = cuda.laneid
    if t < 64:
        own[t] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    mine = 0
    for first in range(i - lane, x.size, cuda.gridsize(1)):
        value = x[first + lane] if first + lane < x.size else -1
        for k in range(cuda.warpsize):
            mine += cuda.shfl_sync(-1, value, k) == lane
        cuda.atomic.add(own, lane, 0)
    if lane < 32:
        cuda.atomic.add(bins, lane, mine)
""",
    "tally: copies in global memory": """
@cuda.jit
def tally(x, bins):
    own = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    if t < 32:
        own[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(bins, x[i], 1)
        cuda.atomic.add(own, t % 32, 1)
""",
    "slot: padding where Python does not see it": """
def slot(row, column, columns):
    pad = 1 if 2 * ((row - row + 1) << 62) < 0 else 0  # 64 bits on the device
    return row * (columns + pad) + column
""",
}
