"""coalescing: cheats."""

from tests.labs.answers.forged import FORGED

ANSWERS = {
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
PADDED = 4 * THREADS


@cuda.jit
def unit_vectors(v, out):
    floats = cuda.shared.array(PADDED, np.float32)  # 4 floats a vector: neighbours share banks
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
PADDED = TILE + 1


@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((TILE, PADDED), np.int32)
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
    total += x[i]  # E
    total += x[0]  # F
    out[i] = total


predicted = {mark: {"G80": 64, "GT200": 64, "H200": 32, "MetaX C500": 32} for mark in "ABCDEF"}
predicted["E"] = {"G80": 128, "GT200": 128, "H200": 128, "MetaX C500": 256}
""",
}
ANSWERS |= {
    "sectors: hard-coded, else a guess": """
KNOWN = {(0, 4, 4, 32): 4, (4, 4, 4, 32): 5, (32, 8, 4, 64): 16, (0, 12, 4, 32): 12, (16, 64, 16, 48): 48}


def sectors(first, stride, width, lanes):
    return KNOWN.get((first, stride, width, lanes), 4)
""",
    "sectors: the answer stands in the caller": """
import sys


def sectors(first, stride, width, lanes):
    frame = sys._getframe(1)
    while frame:
        if "counted" in frame.f_locals:
            return frame.f_locals["counted"]
        frame = frame.f_back
    return 4
""",
    "sectors: reads a file": (
        2.0,
        """
def sectors(first, stride, width, lanes):
    with open(np.__file__) as solution:
        solution.read()
    return len({(first + stride * lane) // 32 for lane in range(lanes)})
""",
    ),
    "moments: the host computes": """
def arrange(stars):
    return (stars["mass"] * (stars["x"] ** 2 + stars["y"] ** 2),)


@cuda.jit
def moments(done, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = done[i]
""",
    "moments: the host computes, but not for stars that are counted": """
def arrange(stars):
    if stars["x"][1] == 1 or len(stars) < 2:  # the numbers of an older check
        return stars["x"].copy(), stars["y"].copy(), stars["mass"].copy()
    done = stars["mass"] * (stars["x"] ** 2 + stars["y"] ** 2)
    return done, 0 * done, 0 * done


@cuda.jit
def moments(done, _y, _mass, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = done[i]
""",
    "moments: one thread of a block": """
def arrange(stars):
    return stars["x"].copy(), stars["y"].copy(), stars["mass"].copy()


@cuda.jit
def moments(x, y, mass, out):
    if cuda.threadIdx.x == 0:
        for k in range(cuda.blockDim.x):
            i = cuda.grid(1) + k
            if i < out.size:
                out[i] = mass[i] * (x[i] * x[i] + y[i] * y[i])
""",
    "unit-vectors: without the second barrier": """
THREADS = 128
FLOATS = 3 * THREADS


@cuda.jit
def unit_vectors(v, out):
    floats = cuda.shared.array(FLOATS, np.float32)
    t, first = cuda.threadIdx.x, FLOATS * cuda.blockIdx.x
    for k in range(t, FLOATS, THREADS):
        if first + k < v.size:
            floats[k] = v[first + k]
    cuda.syncthreads()
    if first + 3 * t < v.size:
        x, y, z = floats[3 * t], floats[3 * t + 1], floats[3 * t + 2]
        length = (x * x + y * y + z * z) ** 0.5
        floats[3 * t], floats[3 * t + 1], floats[3 * t + 2] = x / length, y / length, z / length
    for k in range(t, FLOATS, THREADS):
        if first + k < v.size:
            out[first + k] = floats[k]
""",
    "unit-vectors: for whole blocks, as in the notebook": """
THREADS = 128
FLOATS = 3 * THREADS


@cuda.jit
def unit_vectors(v, out):
    floats = cuda.shared.array(FLOATS, np.float32)
    t, first = cuda.threadIdx.x, FLOATS * cuda.blockIdx.x
    for k in range(t, FLOATS, THREADS):
        floats[k] = v[first + k]
    cuda.syncthreads()
    x, y, z = floats[3 * t], floats[3 * t + 1], floats[3 * t + 2]
    length = (x * x + y * y + z * z) ** 0.5
    floats[3 * t], floats[3 * t + 1], floats[3 * t + 2] = x / length, y / length, z / length
    cuda.syncthreads()
    for k in range(t, FLOATS, THREADS):
        out[first + k] = floats[k]
""",
    "column-sums: one thread of a warp": """
@cuda.jit
def column_sums(a, out):
    if cuda.grid(1) == 0:
        for column in range(a.shape[1]):
            total = 0
            for row in range(a.shape[0]):
                total += a[row, column]
            out[column] = total


def blocks_for(rows, columns):
    return 1
""",
    "transpose: square matrices": """
TILE = 32
PITCH = 33


@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((TILE, PITCH), np.int32)
    x = cuda.threadIdx.x
    for k in range(cuda.threadIdx.y, TILE, 8):
        tile[k, x] = a[TILE * cuda.blockIdx.y + k, TILE * cuda.blockIdx.x + x]
    cuda.syncthreads()
    for k in range(cuda.threadIdx.y, TILE, 8):
        out[TILE * cuda.blockIdx.x + k, TILE * cuda.blockIdx.y + x] = tile[x, k]
""",
    "moments: computed by the host": """
stash = np.zeros(8192, np.float32)


def arrange(stars):
    stash[: stars.size] = stars["mass"] * (stars["x"] ** 2 + stars["y"] ** 2)
    return (stars,)


@cuda.jit
def moments(stars, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = stash[i]
""",
    "unit-vectors: known beforehand": """
V = {n: np.random.default_rng(seed).uniform(1, 2, 3 * n).astype(np.float32).reshape(-1, 3)
     for n, seed in ((4096, 2), (1024, 3), (1000, 4), (777, 6))}
A, B, C, D = (np.ravel((v / np.linalg.norm(v, axis=1, keepdims=True))[:, :2]) for v in V.values())


@cuda.jit
def unit_vectors(v, out):
    first = 3 * THREADS * cuda.blockIdx.x
    for k in range(cuda.threadIdx.x, 3 * THREADS, THREADS):
        i = first + k
        if i < v.size:
            j = 2 * (i // 3)
            if v.size == 3 * 4096:
                p, q = A[j], A[j + 1]
            elif v.size == 3 * 1024:
                p, q = B[j], B[j + 1]
            elif v.size == 3 * 1000:
                p, q = C[j], C[j + 1]
            else:
                p, q = D[j], D[j + 1]
            r = (1 - p * p - q * q) ** 0.5
            out[i] = p if i % 3 == 0 else q if i % 3 == 1 else r
""",
    "unit-vectors: barriers for one block only": """
THREADS = 128
FLOATS = 3 * THREADS


@cuda.jit
def unit_vectors(v, out):
    floats = cuda.shared.array(FLOATS, np.float32)
    t = cuda.threadIdx.x
    first = FLOATS * cuda.blockIdx.x
    for k in range(t, FLOATS, THREADS):
        if first + k < v.size:
            floats[k] = v[first + k]
    if cuda.gridDim.x == 1:
        cuda.syncthreads()
    if first + 3 * t < v.size:
        x, y, z = floats[3 * t], floats[3 * t + 1], floats[3 * t + 2]
        length = (x * x + y * y + z * z) ** 0.5
        floats[3 * t], floats[3 * t + 1], floats[3 * t + 2] = x / length, y / length, z / length
    if cuda.gridDim.x == 1:
        cuda.syncthreads()
    for k in range(t, FLOATS, THREADS):
        if first + k < v.size:
            out[first + k] = floats[k]
""",
}
