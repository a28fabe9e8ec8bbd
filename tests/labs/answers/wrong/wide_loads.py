"""wide-loads: plausible wrong answers."""

ANSWERS = {
    "plan": """
def plan(address, pitch, count, size, lanes):
    width = 16
    while address % width or count * size % width:  # and where do the other rows begin?
        width //= 2
    return width, -(-count * size // (width * lanes))
""",
    "plan: rounds requests down": """
def plan(address, pitch, count, size, lanes):
    width = 16
    while address % width or pitch % width or count * size % width:
        width //= 2
    return width, count * size // (width * lanes)
""",
    "square-range": """
@cuda.jit
def square_range(x, pairs, out, out_pairs, first, n):
    p = first // 2 + cuda.grid(1)  # writes the element before an odd `first`
    if 2 * p < first + n:
        pair = pairs[p]
        out_pairs[p] = complex(pair.real * pair.real, pair.imag * pair.imag)
""",
    "square-range: forgets the last element": """
@cuda.jit
def square_range(x, pairs, out, out_pairs, first, n):
    p = (first + 1) // 2 + cuda.grid(1)
    if 2 * p + 2 <= first + n:
        pair = pairs[p]
        out_pairs[p] = complex(pair.real * pair.real, pair.imag * pair.imag)
    if cuda.grid(1) == 0 and first % 2 == 1:
        out[first] = x[first] * x[first]
""",
    "distances": """
K = 24
THREADS = 1024


@cuda.jit(launch_bounds=(1024, 2))
def distances(x, y, out):  # as many warps as possible
    i = cuda.grid(1)
    total = 0.0
    for k in range(K):
        total += abs(x[k, i] - y[k, i])
    out[i] = total
""",
    "distances: the chapter's bound": """
K = 24
THREADS = 1024


@cuda.jit(launch_bounds=(1024, 1))
def distances(x, y, out):
    i = cuda.grid(1)
    total = 0.0
    for k in range(K):
        total += abs(x[k, i] - y[k, i])
    out[i] = total
""",
    "distances: as many registers as possible": """
K = 24
THREADS = 256


@cuda.jit(launch_bounds=(256, 1))
def distances(x, y, out):
    i = cuda.grid(1)
    total = 0.0
    for k in range(K):
        total += abs(x[k, i] - y[k, i])
    out[i] = total
""",
    "ranges": """
THREADS_OF_RANGES = 1024


@cuda.jit(launch_bounds=(1024, 1))
def ranges(w, x, y, z, out):  # nothing spills, and half of the places stay empty
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
""",
}
