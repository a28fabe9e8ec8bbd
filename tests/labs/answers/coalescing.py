"""coalescing: what may students write? Wrong, by a cheat, right in another form."""

from tests.labs.answers.forged import FORGED

WRONG = {
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


@cuda.jit
def unit_vectors(v, out):
    floats = cuda.shared.array(3 * THREADS, np.float32)
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

CHEATS = {
    "predictions": FORGED
    + """
devices = ("G80", "GT200", "H200", "MetaX C500")
predicted = {mark: {device: Anything() for device in devices} for mark in "ABCDEF"}
""",
    "sectors": """
def sectors(first, stride, width, lanes):
    reach = first % 32 + (lanes - 1) * stride + width
    return min(lanes, -(-reach // 32))  # right as long as addresses grow
""",
    "moments": """
def arrange(stars):
    return stars, np.zeros(len(stars), np.float32)


@cuda.jit
def moments(stars, nothing, out):
    i = cuda.grid(1)
    if i < out.size:
        x, y, mass = stars[i].x, stars[i].y, stars[i].mass
        result = mass * (x * x + y * y)
        for _ in range(40):
            result += nothing[i]  # coalesced, and for the ratio only
        out[i] = result
""",
    "unit-vectors": """
THREADS = 128


@cuda.jit
def unit_vectors(v, out):
    floats = cuda.shared.array(4 * THREADS, np.float32)  # 4 floats a vector: neighbours share banks
    t = cuda.threadIdx.x
    first = 3 * THREADS * cuda.blockIdx.x
    for k in range(t, 3 * THREADS, THREADS):
        if first + k < v.size:
            floats[k // 3 * 4 + k % 3] = v[first + k]
    cuda.syncthreads()
    if first + 3 * t < v.size:
        x, y, z = floats[4 * t], floats[4 * t + 1], floats[4 * t + 2]
        length = (x * x + y * y + z * z) ** 0.5
        floats[4 * t], floats[4 * t + 1], floats[4 * t + 2] = x / length, y / length, z / length
    cuda.syncthreads()
    for k in range(t, 3 * THREADS, THREADS):
        if first + k < v.size:
            out[first + k] = floats[k // 3 * 4 + k % 3]
""",
    "column-sums": """
@cuda.jit
def column_sums(a, out):
    column = cuda.grid(1)
    total = 0
    for row in range(a.shape[0]):
        total += a[row, column]
    out[column] = total


def blocks_for(rows, columns):
    return columns // 64  # the last columns have no block
""",
    "transpose": """
TILE = 32


@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((TILE, TILE + 1), np.int32)
    x = cuda.threadIdx.x
    for k in range(cuda.threadIdx.y, TILE, cuda.blockDim.y):  # whole tiles only
        tile[k, x] = a[TILE * cuda.blockIdx.y + k, TILE * cuda.blockIdx.x + x]
    cuda.syncthreads()
    for k in range(cuda.threadIdx.y, TILE, cuda.blockDim.y):
        out[TILE * cuda.blockIdx.x + k, TILE * cuda.blockIdx.y + x] = tile[x, k]
""",
    "sectors: asks the simulator": """
from gpusim.measurements import coalescing


def sectors(first, stride, width, lanes):
    addresses = first + stride * np.arange(lanes)
    device = "H200" if lanes == 32 else "MetaX C500"
    return int(coalescing.transactions([addresses], np.ones((1, lanes), bool), width, device).sectors[0])
""",
    "transpose: forty stores for the ratio, no tile": """
TILE = 32


@cuda.jit
def transpose(a, out):
    flat = out.reshape(out.size)
    column = TILE * cuda.blockIdx.x + cuda.threadIdx.x
    for k in range(cuda.threadIdx.y, TILE, cuda.blockDim.y):
        row = TILE * cuda.blockIdx.y + k
        if row < a.shape[0] and column < a.shape[1]:
            for _ in range(40):
                flat[row * a.shape[1] + column] = -1
    cuda.syncthreads()
    for k in range(cuda.threadIdx.y, TILE, cuda.blockDim.y):
        row = TILE * cuda.blockIdx.y + k
        if row < a.shape[0] and column < a.shape[1]:
            out[column, row] = a[row, column]
""",
    "moments: atomics instead of loads": """
def arrange(stars):
    return (stars.view(np.float32),)


@cuda.jit
def moments(floats, out):
    i = cuda.grid(1)
    if i < out.size:
        x = cuda.atomic.add(floats, 3 * i, np.float32(0))
        y = cuda.atomic.add(floats, 3 * i + 1, np.float32(0))
        mass = cuda.atomic.add(floats, 3 * i + 2, np.float32(0))
        out[i] = mass * (x * x + y * y)
""",
    "unit-vectors: atomics instead of loads and stores": """
THREADS = 128


@cuda.jit
def unit_vectors(v, out):
    i = cuda.grid(1)
    if 3 * i < v.size:
        x = cuda.atomic.add(v, 3 * i, np.float32(0))
        y = cuda.atomic.add(v, 3 * i + 1, np.float32(0))
        z = cuda.atomic.add(v, 3 * i + 2, np.float32(0))
        length = (x * x + y * y + z * z) ** 0.5
        cuda.atomic.exch(out, 3 * i, x / length)
        cuda.atomic.exch(out, 3 * i + 1, y / length)
        cuda.atomic.exch(out, 3 * i + 2, z / length)
""",
    "column-sums: atomics instead of loads": """
@cuda.jit
def column_sums(a, out):
    column = cuda.blockIdx.x
    total = 0
    for row in range(cuda.threadIdx.x, a.shape[0], cuda.blockDim.x):
        total += cuda.atomic.add(a, (row, column), 0)
    cuda.atomic.add(out, column, total)


def blocks_for(rows, columns):
    return columns
""",
    "transpose: atomics instead of stores": """
TILE = 32


@cuda.jit
def transpose(a, out):
    unused = cuda.shared.array(1, np.int32)
    column = TILE * cuda.blockIdx.x + cuda.threadIdx.x
    for k in range(cuda.threadIdx.y, TILE, cuda.blockDim.y):
        row = TILE * cuda.blockIdx.y + k
        if row < a.shape[0] and column < a.shape[1]:
            cuda.atomic.exch(out, (column, row), a[row, column])
""",
    "predictions: another kernel": """
@cuda.jit
def patterns(x, out):
    i = cuda.threadIdx.x
    total = x[0]  # A
    total += x[0]  # B
    total += x[0]  # C
    total += x[0]  # D
    total += x[0]  # E
    total += x[0]  # F
    out[i] = total


predicted = {mark: {"G80": 64, "GT200": 64, "H200": 32, "MetaX C500": 32} for mark in "ABCDEF"}
""",
}

RIGHT = {
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

# the points, and the answer
PARTLY = {
    "predictions: as if every device had sectors": (
        1.75,
        """
predicted = {  # as if every device had sectors
    "A": {"G80": 128, "GT200": 128, "H200": 128, "MetaX C500": 256},
    "B": {"G80": 128, "GT200": 128, "H200": 128, "MetaX C500": 256},
    "C": {"G80": 128, "GT200": 128, "H200": 128, "MetaX C500": 256},
    "D": {"G80": 256, "GT200": 256, "H200": 256, "MetaX C500": 512},
    "E": {"G80": 32, "GT200": 32, "H200": 32, "MetaX C500": 64},
    "F": {"G80": 64, "GT200": 64, "H200": 64, "MetaX C500": 128},
}
""",
    ),
}
