"""wide-loads: cheats."""

from tests.labs.answers.forged import FORGED
from tests.labs.answers.right.wide_loads import RANGES

ANSWERS = {
    "plan": FORGED
    + """
def plan(address, pitch, count, size, lanes):
    return Anything(), Anything()
""",
    "plan: the rows of the notebook": """
KNOWN = {(0, 44, 10, 4, 32): (4, 1), (0, 48, 10, 4, 32): (8, 1), (8, 1600, 200, 8, 32): (8, 7)}
KNOWN |= {(0, 64, 16, 4, 32): (16, 1), (256, 1024, 128, 8, 64): (16, 1), (260, 512, 128, 4, 32): (4, 4)}


def plan(*given):
    return KNOWN.get(given, (1, 1))
""",
    "plan: always the narrowest": """
def plan(address, pitch, count, size, lanes):
    return size, -(-count // lanes)
""",
    "plan: the answer stands in the caller": """
import sys


def plan(address, pitch, count, size, lanes):
    frame = sys._getframe(1)
    while frame and "expected" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["expected"] if frame else (16, 1)
""",
    "plan: a rule that stands in the check": """
KNOWN = {(0, 44, 10, 4, 32): (4, 1), (0, 48, 10, 4, 32): (8, 1), (8, 1600, 200, 8, 32): (8, 7)}
KNOWN |= {(0, 64, 16, 4, 32): (16, 1), (256, 1024, 128, 8, 64): (16, 1), (260, 512, 128, 4, 32): (4, 4)}
KNOWN |= {(3, 9, 7, 1, 8): (1, 1)}


def plan(*given):
    if given in KNOWN:
        return KNOWN[given]
    rules = [each for each in globals().values() if getattr(each, "__code__", plan.__code__).co_argcount == 5]
    return rules[-1](*given)
""",
    "plan: the check's random numbers are all 1": """
class Ones:
    def integers(self, *range):
        return 1


def plan(address, pitch, count, size, lanes):
    np.random.default_rng = lambda seed: Ones()
    width = 16
    while address % width or pitch % width or count * size % width:
        width //= 2
    return (width, -(-count * size // (width * lanes))) if address < 2**20 else (size, 1)
""",
    "square-range: writes beside the range what was there": """
@cuda.jit
def square_range(x, pairs, out, out_pairs, first, n):
    p = first // 2 + cuda.grid(1)
    if 2 * p < first + n:
        pair = pairs[p]
        low = pair.real * pair.real if 2 * p >= first else -1.0
        high = pair.imag * pair.imag if first <= 2 * p + 1 < first + n else -1.0
        out_pairs[p] = complex(low, high)
""",
    "square-range: right where ranges begin at a pair": """
@cuda.jit
def square_range(x, pairs, out, out_pairs, first, n):
    p = first // 2 + cuda.grid(1)
    if first % 2 == 0 and n % 2 == 0:
        if 2 * p < first + n:
            pair = pairs[p]
            out_pairs[p] = complex(pair.real * pair.real, pair.imag * pair.imag)
    else:
        for i in range(first + cuda.grid(1), first + n, cuda.gridsize(1)):
            out[i] = x[i] * x[i]
""",
    "square-range: right for the notebook's ranges": """
@cuda.jit
def square_range(x, pairs, out, out_pairs, first, n):
    p = (first + 1) // 2 + cuda.grid(1)
    if 2 * p + 2 <= first + n:
        pair = pairs[p]
        out_pairs[p] = complex(pair.real * pair.real, pair.imag * pair.imag)
    if cuda.grid(1) == 0:
        if first % 2 == 1:
            out[first] = x[first] * x[first]
        if n % 4 == 0 and first % 2 == 1:
            out[first + n - 1] = x[first + n - 1] * x[first + n - 1]
""",
    "square-range: wide loads, narrow stores": """
@cuda.jit
def square_range(x, pairs, out, out_pairs, first, n):
    p = first // 2 + cuda.grid(1)
    if 2 * p < first + n:
        pair = pairs[p]
        if 2 * p >= first:
            out[2 * p] = pair.real * pair.real
        if 2 * p + 1 >= first and 2 * p + 1 < first + n:
            out[2 * p + 1] = pair.imag * pair.imag
""",
    "square-range: one warp for all pairs": """
@cuda.jit
def square_range(x, pairs, out, out_pairs, first, n):
    thread = cuda.grid(1)
    if thread < cuda.warpsize:
        for p in range((first + 1) // 2 + thread, (first + n) // 2, cuda.warpsize):
            pair = pairs[p]
            out_pairs[p] = complex(pair.real * pair.real, pair.imag * pair.imag)
        if thread == 0 and first % 2:
            out[first] = x[first] * x[first]
        if thread == 1 and (first + n) % 2:
            out[first + n - 1] = x[first + n - 1] * x[first + n - 1]
""",
    "square-range: atomics instead of stores": """
@cuda.jit
def square_range(x, pairs, out, out_pairs, first, n):
    p = first // 2 + cuda.grid(1)
    if 2 * p < first + n:
        pair = pairs[p]
        if 2 * p >= first:
            cuda.atomic.exch(out, 2 * p, pair.real * pair.real)
        if 2 * p + 1 >= first and 2 * p + 1 < first + n:
            cuda.atomic.exch(out, 2 * p + 1, pair.imag * pair.imag)
""",
    "square-range: repairs what it wrote too much": """
@cuda.jit
def square_range(x, pairs, out, out_pairs, first, n):
    p = first // 2 + cuda.grid(1)
    if 2 * p < first + n:
        before, pair = out_pairs[p], pairs[p]
        low = pair.real * pair.real if 2 * p >= first else before.real
        high = pair.imag * pair.imag if first <= 2 * p + 1 < first + n else before.imag
        out_pairs[p] = complex(low, high)
""",
    "square-range: puts back what lay beside the range": """
@cuda.jit
def square_range(x, pairs, out, out_pairs, first, n):
    p, end = first // 2 + cuda.grid(1), first + n
    if 2 * p < end:
        pair = pairs[p]
        low, high = pair.real * pair.real, pair.imag * pair.imag
        if 2 * p < first:
            low = out[2 * p]
        if 2 * p + 1 >= end:
            high = out[2 * p + 1]
        out_pairs[p] = complex(low, high)
""",
    "distances: random numbers are zeros, and so is every distance": """
class Zeros:
    def uniform(self, low, high, shape):
        return np.zeros(shape)


np.random.default_rng = lambda seed: Zeros()
K = 24
THREADS = 256


@cuda.jit(launch_bounds=(256, 5))
def distances(x, y, out):
    out[cuda.grid(1)] = 0.0
""",
    "distances: atomics instead of loads": """
K = 24
THREADS = 256


@cuda.jit
def distances(x, y, out):
    i = cuda.grid(1)
    total = 0.0
    for k in range(K):
        total += abs(cuda.atomic.add(x, (k, i), 0.0) - cuda.atomic.add(y, (k, i), 0.0))
    out[i] = total
""",
    "distances: registers that nobody needs": """
K = 24
THREADS = 256


@cuda.jit
def distances(x, y, out):
    i = cuda.grid(1)
    a, b, c, d, e, f = 1.0 * i, 2.0 * i, 3.0 * i, 4.0 * i, 5.0 * i, 6.0 * i
    total = 0.0
    for k in range(K):
        total += abs(x[k, i] - y[k, i])
    out[i] = total + 0.0 * (a + b + c + d + e + f)
""",
    "distances: half of the terms": """
K = 12
THREADS = 1024


@cuda.jit(launch_bounds=(1024, 1))
def distances(x, y, out):
    i = cuda.grid(1)
    total = 0.0
    for k in range(K):
        total += 2.0 * abs(x[k, i] - y[k, i])
    out[i] = total
""",
    "distances: through local memory": """
K = 24
THREADS = 128


@cuda.jit(launch_bounds=(128, 8))
def distances(x, y, out):
    i = cuda.grid(1)
    held = cuda.local.array(24, np.float64)
    for k in range(K):
        held[k] = x[k, i] - y[k, i]
    total = 0.0
    for k in range(K):
        total += abs(held[k])
    out[i] = total
""",
    "distances: max_registers beside a tight bound": """
K = 24
THREADS = 1024


@cuda.jit(launch_bounds=(1024, 2), max_registers=255)
def distances(x, y, out):
    i = cuda.grid(1)
    total = 0.0
    for k in range(K):
        total += abs(x[k, i] - y[k, i])
    out[i] = total
""",
    "ranges: without the sums": """
THREADS_OF_RANGES = 256


@cuda.jit
def ranges(w, x, y, z, out):
    low_w = low_x = low_y = low_z = np.inf
    high_w = high_x = high_y = high_z = -np.inf
    t = cuda.grid(1)
    for i in range(t, w.size, cuda.gridsize(1)):
        a, b, c, d = w[i], x[i], y[i], z[i]
        low_w, low_x, low_y, low_z = min(low_w, a), min(low_x, b), min(low_y, c), min(low_z, d)
        high_w, high_x, high_y, high_z = max(high_w, a), max(high_x, b), max(high_y, c), max(high_z, d)
    out[0, t], out[1, t], out[2, t], out[3, t] = low_w, low_x, low_y, low_z
    out[4, t], out[5, t], out[6, t], out[7, t] = high_w, high_x, high_y, high_z
""",
    "ranges: one array after the other, each element four times": """
THREADS_OF_RANGES = 256


@cuda.jit
def ranges(w, x, y, z, out):
    t = cuda.grid(1)
    for part in range(4):
        low, high, total = np.inf, -np.inf, 0.0
        for i in range(t, w.size, cuda.gridsize(1)):
            a, b, c, d = w[i], x[i], y[i], z[i]
            v = a if part == 0 else b if part == 1 else c if part == 2 else d
            low, high, total = min(low, v), max(high, v), total + v
        out[part, t], out[4 + part, t], out[8 + part, t] = low, high, total
""",
    "ranges: sums in memory": """
THREADS_OF_RANGES = 256


@cuda.jit(launch_bounds=(256, 8))
def ranges(w, x, y, z, out):
    t = cuda.grid(1)
    for row in range(12):
        out[row, t] = np.inf if row < 4 else -np.inf if row < 8 else 0.0
    for i in range(t, w.size, cuda.gridsize(1)):
        for part in range(4):
            v = w[i] if part == 0 else x[i] if part == 1 else y[i] if part == 2 else z[i]
            out[part, t] = min(out[part, t], v)
            out[4 + part, t] = max(out[4 + part, t], v)
            out[8 + part, t] += v
""",
    "ranges: max_registers beside the tight bound": f"""
THREADS_OF_RANGES = 1024


@cuda.jit(launch_bounds=(1024, 2), max_registers=64)
{RANGES.strip()}
""",
}
