"""coalescing: right answers in other forms."""

ANSWERS = {
    "predictions: NumPy's numbers": """
rows = {"A": (128, 128, 128, 256), "B": (1024, 192, 128, 256), "C": (1024, 128, 128, 256)}
rows |= {"D": (1024, 256, 256, 512), "E": (1024, 64, 32, 64), "F": (128, 128, 128, 256)}
devices = ("G80", "GT200", "H200", "MetaX C500")
predicted = {mark: dict(zip(devices, np.array(row))) for mark, row in rows.items()}
""",
    "sectors: with NumPy": """
def sectors(first, stride, width, lanes):
    return np.unique((first + stride * np.arange(lanes)) >> 5).size
""",
    "moments: a list": """
def arrange(stars):
    return [stars[field].copy() for field in ("mass", "x", "y")]


@cuda.jit
def moments(mass, x, y, out):
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        out[i] = mass[i] * (x[i] ** 2 + y[i] ** 2)
""",
    "unit-vectors: a tile of three rows": """
THREADS = 128
FLOATS = 384


@cuda.jit
def unit_vectors(v, out):
    floats = cuda.shared.array(FLOATS, np.float32)
    t, first = cuda.threadIdx.x, FLOATS * cuda.blockIdx.x
    for part in range(3):
        k = part * THREADS + t
        floats[k] = v[first + k] if first + k < v.size else np.float32(1)
    cuda.syncthreads()
    scale = 1 / (floats[3 * t] ** 2 + floats[3 * t + 1] ** 2 + floats[3 * t + 2] ** 2) ** 0.5
    for part in range(3):
        floats[3 * t + part] *= scale
    cuda.syncthreads()
    for part in range(3):
        k = part * THREADS + t
        if first + k < v.size:
            out[first + k] = floats[k]
""",
    "column-sums: parts of columns": """
@cuda.jit
def column_sums(a, out):
    parts = cuda.gridDim.x // ((a.shape[1] + 63) // 64)
    column = cuda.blockIdx.x // parts * 64 + cuda.threadIdx.x
    if column < a.shape[1]:
        total = 0
        for row in range(cuda.blockIdx.x % parts, a.shape[0], parts):
            total += a[row, column]
        cuda.atomic.add(out, column, total)


def blocks_for(rows, columns):
    return np.int64(4 * -(-columns // 64))
""",
    "transpose: a swizzle": """
TILE = 32


@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((TILE, TILE), np.int32)
    x = cuda.threadIdx.x
    for k in range(cuda.threadIdx.y, TILE, 8):
        row, column = TILE * cuda.blockIdx.y + k, TILE * cuda.blockIdx.x + x
        if row < a.shape[0] and column < a.shape[1]:
            tile[k, x ^ k] = a[row, column]
    cuda.syncthreads()
    for k in range(cuda.threadIdx.y, TILE, 8):
        row, column = TILE * cuda.blockIdx.x + k, TILE * cuda.blockIdx.y + x
        if row < out.shape[0] and column < out.shape[1]:
            out[row, column] = tile[x, k ^ x]
""",
}
ANSWERS |= {
    "sectors: a set, of both ends": """
def sectors(first, stride, width, lanes):
    seen = set()
    for lane in range(lanes):
        seen |= {(first + stride * lane) // 32, (first + stride * lane + width - 1) // 32}
    return len(seen)
""",
    "sectors: sorted": """
def sectors(first, stride, width, lanes):
    numbers = sorted((first + stride * lane) // 32 for lane in range(lanes))
    return 1 + sum(a != b for a, b in zip(numbers, numbers[1:]))
""",
    "moments: a field is read twice": """
def arrange(stars):
    return stars["x"].copy(), stars["y"].copy(), stars["mass"].copy()


@cuda.jit
def moments(x, y, mass, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = mass[i] * (x[i] * x[i] + y[i] * y[i])
""",
    "moments: one array with three rows": """
def arrange(stars):
    return (np.stack([stars["x"], stars["y"], stars["mass"]]),)


@cuda.jit
def moments(rows, out):
    i = cuda.grid(1)
    if i < out.size:
        x, y = rows[0, i], rows[1, i]
        out[i] = rows[2, i] * (x * x + y * y)
""",
    "moments: one long array": """
def arrange(stars):
    return [np.concatenate([stars[name] for name in stars.dtype.names])]


@cuda.jit
def moments(floats, out):
    i, n = cuda.grid(1), out.size
    if i < n:
        x, y, mass = floats[i], floats[n + i], floats[2 * n + i]
        out[i] = mass * (x**2 + y**2)
""",
    "column-sums: rows shared out, with a grid-stride loop": """
@cuda.jit
def column_sums(a, out):
    for column in range(cuda.grid(1), a.shape[1], cuda.gridsize(1)):
        total = 0
        for row in range(a.shape[0]):
            total += a[row, column]
        out[column] = total


def blocks_for(rows, columns):
    return max(1, columns // 128)
""",
    "transpose: a flat tile": """
TILE = 32
WORDS = 1056


@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array(WORDS, np.int32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    top, left = TILE * cuda.blockIdx.y, TILE * cuda.blockIdx.x
    while y < TILE:
        if top + y < a.shape[0] and left + x < a.shape[1]:
            tile[33 * y + x] = a[top + y, left + x]
        y += cuda.blockDim.y
    cuda.syncthreads()
    y = cuda.threadIdx.y
    while y < TILE:
        if left + y < out.shape[0] and top + x < out.shape[1]:
            out[left + y, top + x] = tile[33 * x + y]
        y += cuda.blockDim.y
""",
}
