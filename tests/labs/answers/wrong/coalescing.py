"""coalescing: wrong answers."""

ANSWERS = {
    "sectors": """
def sectors(first, stride, width, lanes):
    return -(-((lanes - 1) * stride + width) // 32)  # where it begins is forgotten, and gaps are counted
""",
    "moments": """
def arrange(stars):
    return stars["x"], stars["y"], stars["mass"]  # views: the floats stay where they are


@cuda.jit
def moments(xs, ys, masses, out):
    i = cuda.grid(1)
    if i < out.size:
        x, y, mass = xs[i], ys[i], masses[i]
        out[i] = mass * (x * x + y * y)
""",
    "unit-vectors": """
THREADS = 128
FLOATS = 3 * THREADS


@cuda.jit
def unit_vectors(v, out):
    floats = cuda.shared.array(FLOATS, np.float32)
    t = cuda.threadIdx.x
    first = 3 * THREADS * cuda.blockIdx.x
    for k in range(t, 3 * THREADS, THREADS):
        if first + k < v.size:
            floats[k] = v[first + k]
    cuda.syncthreads()
    i = cuda.grid(1)
    if 3 * i < v.size:
        x, y, z = floats[3 * t], floats[3 * t + 1], floats[3 * t + 2]
        length = (x * x + y * y + z * z) ** 0.5
        out[3 * i], out[3 * i + 1], out[3 * i + 2] = x / length, y / length, z / length  # not staged
""",
    "column-sums": """
@cuda.jit
def column_sums(a, out):
    row = cuda.grid(1)  # neighbours are still a row apart
    if row < a.shape[0]:
        for column in range(a.shape[1]):
            cuda.atomic.add(out, column, a[row, column])


def blocks_for(rows, columns):
    return -(-rows // 64)
""",
    "transpose": """
TILE = 32


@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((TILE, TILE), np.int32)  # a column is one bank
    x = cuda.threadIdx.x
    column = TILE * cuda.blockIdx.x + x
    for k in range(cuda.threadIdx.y, TILE, cuda.blockDim.y):
        row = TILE * cuda.blockIdx.y + k
        if row < a.shape[0] and column < a.shape[1]:
            tile[k, x] = a[row, column]
    cuda.syncthreads()
    column = TILE * cuda.blockIdx.y + x
    for k in range(cuda.threadIdx.y, TILE, cuda.blockDim.y):
        row = TILE * cuda.blockIdx.x + k
        if row < out.shape[0] and column < out.shape[1]:
            out[row, column] = tile[x, k]
""",
    "sectors: fractions": """
def sectors(first, stride, width, lanes):
    return lanes * stride / 32 + 0.5
""",
}
