"""wide-loads: right answers in other forms."""

RANGES = """
def ranges(w, x, y, z, out):
    low_w = low_x = low_y = low_z = np.inf
    high_w = high_x = high_y = high_z = -np.inf
    sum_w = sum_x = sum_y = sum_z = 0.0
    t = cuda.grid(1)
    for i in range(t, w.size, cuda.gridsize(1)):
        a, b, c, d = w[i], x[i], y[i], z[i]
        low_w, low_x, low_y, low_z = min(low_w, a), min(low_x, b), min(low_y, c), min(low_z, d)
        high_w, high_x, high_y, high_z = max(high_w, a), max(high_x, b), max(high_y, c), max(high_z, d)
        sum_w, sum_x, sum_y, sum_z = sum_w + a, sum_x + b, sum_y + c, sum_z + d
    out[0, t], out[1, t], out[2, t], out[3, t] = low_w, low_x, low_y, low_z
    out[4, t], out[5, t], out[6, t], out[7, t] = high_w, high_x, high_y, high_z
    out[8, t], out[9, t], out[10, t], out[11, t] = sum_w, sum_x, sum_y, sum_z
"""
DISTANCES = """
def distances(x, y, out):
    i = cuda.grid(1)
    total = 0.0
    for k in range(K):
        total += abs(x[k, i] - y[k, i])
    out[i] = total
"""

ANSWERS = {
    "plan: tries all widths, as a list": """
def plan(address, pitch, count, size, lanes):
    row = count * size
    width = [w for w in (1, 2, 4, 8, 16) if w >= size and address % w == pitch % w == row % w == 0][-1]
    return [width, (row + width * lanes - 1) // (width * lanes)]
""",
    "plan: by the common divisor": """
import math


def plan(address, pitch, count, size, lanes):
    width = math.gcd(16, address, pitch, count * size)
    return np.int64(width), float(math.ceil(count * size / (width * lanes)))
""",
    "square-range: thread 0 does the ends": """
@cuda.jit
def square_range(x, pairs, out, out_pairs, first, n):
    t, end = cuda.grid(1), first + n
    p = (first + 1) // 2 + t
    if p < end // 2:
        v = pairs[p]
        out_pairs[p] = complex(v.real ** 2, v.imag ** 2)
    if t == 0:
        if first % 2 == 1:
            out[first] = x[first] ** 2
        if end % 2 == 1 and end - 1 >= first:
            out[end - 1] = x[end - 1] ** 2
""",
    "square-range: strides over the grid": """
@cuda.jit
def square_range(x, pairs, out, out_pairs, first, n):
    begin, over = (first + 1) // 2, (first + n) // 2
    for p in range(begin + cuda.grid(1), over, cuda.gridsize(1)):
        pair = pairs[p]
        out_pairs[p] = complex(pair.real * pair.real, pair.imag * pair.imag)
    i = first if cuda.grid(1) == 0 else first + n - 1
    if cuda.grid(1) < 2 and (i < 2 * begin or i >= 2 * over):
        number = x[i]
        out[i] = number * number
""",
    "square-range: numbers named first": """
@cuda.jit
def square_range(x, pairs, out, out_pairs, first, n):
    low = first // 2 * 2 + 2 * cuda.grid(1)
    high = low + 1
    low_is_in = first <= low < first + n
    high_is_in = first <= high < first + n
    if low_is_in and high_is_in:
        pair = pairs[low // 2]
        out_pairs[low // 2] = complex(pair.real * pair.real, pair.imag * pair.imag)
    elif low_is_in or high_is_in:
        i = low if low_is_in else high
        out[i] = x[i] * x[i]
""",
    "distances: three large blocks": f"""
K = 24
THREADS = 512


@cuda.jit(launch_bounds=(512, 3))
{DISTANCES.strip()}
""",
    "distances: ten small blocks": f"""
K = 24
THREADS = 128


@cuda.jit(launch_bounds=(128, 10))
{DISTANCES.strip()}
""",
    "distances: bounds for a larger block than there is": f"""
K = 24
THREADS = 256


@cuda.jit(launch_bounds=(640, 2))
{DISTANCES.strip()}
""",
    "distances: unrolled by hand": """
K = 24
THREADS = 256


@cuda.jit
def distances(x, y, out):
    i = cuda.grid(1)
    total = 0.0
    for k in range(0, 24, 8):
        a0 = x[k, i]
        b0 = y[k, i]
        a1 = x[k + 1, i]
        b1 = y[k + 1, i]
        a2 = x[k + 2, i]
        b2 = y[k + 2, i]
        a3 = x[k + 3, i]
        b3 = y[k + 3, i]
        a4 = x[k + 4, i]
        b4 = y[k + 4, i]
        a5 = x[k + 5, i]
        b5 = y[k + 5, i]
        a6 = x[k + 6, i]
        b6 = y[k + 6, i]
        a7 = x[k + 7, i]
        b7 = y[k + 7, i]
        total += abs(a0 - b0) + abs(a1 - b1) + abs(a2 - b2) + abs(a3 - b3)
        total += abs(a4 - b4) + abs(a5 - b5) + abs(a6 - b6) + abs(a7 - b7)
    out[i] = total
""",
    "ranges: no bound": f"""
THREADS_OF_RANGES = 512


@cuda.jit
{RANGES.strip()}
""",
    "ranges: many small blocks": f"""
THREADS_OF_RANGES = 64


@cuda.jit(launch_bounds=(64, 24))
{RANGES.strip()}
""",
    "ranges: one array after the other in each round": """
THREADS_OF_RANGES = 128


@cuda.jit(launch_bounds=128)
def ranges(w, x, y, z, out):
    low_w = low_x = low_y = low_z = np.inf
    high_w = high_x = high_y = high_z = -np.inf
    sum_w = sum_x = sum_y = sum_z = 0.0
    t = cuda.grid(1)
    i = t
    while i < w.size:
        v = w[i]
        low_w, high_w, sum_w = min(low_w, v), max(high_w, v), sum_w + v
        v = x[i]
        low_x, high_x, sum_x = min(low_x, v), max(high_x, v), sum_x + v
        v = y[i]
        low_y, high_y, sum_y = min(low_y, v), max(high_y, v), sum_y + v
        v = z[i]
        low_z, high_z, sum_z = min(low_z, v), max(high_z, v), sum_z + v
        i += cuda.gridsize(1)
    out[0, t], out[1, t], out[2, t], out[3, t] = low_w, low_x, low_y, low_z
    out[4, t], out[5, t], out[6, t], out[7, t] = high_w, high_x, high_y, high_z
    out[8, t], out[9, t], out[10, t], out[11, t] = sum_w, sum_x, sum_y, sum_z
""",
    "ranges: one array after the other, each element once": """
THREADS_OF_RANGES = 1024


@cuda.jit(launch_bounds=(1024, 2))
def ranges(w, x, y, z, out):
    t = cuda.grid(1)
    low, high, total = np.inf, -np.inf, 0.0
    for i in range(t, w.size, cuda.gridsize(1)):
        number = w[i]
        low, high, total = min(low, number), max(high, number), total + number
    out[0, t], out[4, t], out[8, t] = low, high, total
    low, high, total = np.inf, -np.inf, 0.0
    for i in range(t, x.size, cuda.gridsize(1)):
        number = x[i]
        low, high, total = min(low, number), max(high, number), total + number
    out[1, t], out[5, t], out[9, t] = low, high, total
    low, high, total = np.inf, -np.inf, 0.0
    for i in range(t, y.size, cuda.gridsize(1)):
        number = y[i]
        low, high, total = min(low, number), max(high, number), total + number
    out[2, t], out[6, t], out[10, t] = low, high, total
    low, high, total = np.inf, -np.inf, 0.0
    for i in range(t, z.size, cuda.gridsize(1)):
        number = z[i]
        low, high, total = min(low, number), max(high, number), total + number
    out[3, t], out[7, t], out[11, t] = low, high, total
""",
}
