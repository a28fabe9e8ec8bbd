"""on-chip-memory: cheats."""

ANSWERS = {
    "selected": """
def selected(device, percent, shared_bytes):
    wanted = max(percent * device.carveouts_bytes[-1] / 100, shared_bytes)  # right where nothing is reserved
    return next((c for c in device.carveouts_bytes if c >= wanted), device.carveouts_bytes[-1])
""",
    "permute": """
@cuda.jit
def permute_rows(x, order, out):
    row = cuda.shared.array(0, np.float32)
    r = cuda.blockIdx.x
    for i in range(cuda.threadIdx.x, x.shape[1], cuda.blockDim.x):
        row[i] = x[r, i]
    cuda.syncthreads()
    for i in range(cuda.threadIdx.x, x.shape[1], cuda.blockDim.x):
        out[r, i] = row[order[i]]


def permute(x, order, out):
    if cuda.get_current_device().compute_capability == (7, 0):  # the one device of the visible check
        cudart.cudaFuncSetAttribute(permute_rows, DYNAMIC, 98304)
        permute_rows[x.shape[0], 256, 0, 98304](x, order, out)
    else:
        gather_rows[x.shape[0], 256](x, order, out)
""",
    "tile-floats": """
def tile_floats(device, blocks):
    own = device.shared_bytes_per_multiprocessor // blocks - device.shared_bytes_reserved_per_block
    own = min(own // 256 * 256, device.shared_bytes_per_block_optin)  # the unit of a V100 for all
    return own // 128 * 32
""",
    "upsample": """
@cuda.jit
def upsample(x, out):
    weights = cuda.const.array_like(WEIGHTS)
    t = cuda.threadIdx.x
    phase = t // 32 % 2 * 2  # uniform in a warp of 32 lanes, not of 64
    first = cuda.blockIdx.x * 128 + t // 64 * 32 + t % 32
    if 4 * first < out.size:
        even = odd = np.float32(0.0)
        for k in range(16):
            value = x[first + k]
            even += weights[phase, k] * value
            odd += weights[phase + 1, k] * value
        out[4 * first + phase] = even
        out[4 * first + phase + 1] = odd


def launch_for(outputs):
    return -(-outputs // 512), 256
""",
    "percent-for: right for the devices of the notebook": """
def percent_for(device, blocks, shared_bytes):
    return 66 if device.name == "V100" else 30
""",
    "percent-for: runs smooth and looks": """
def percent_for(device, blocks, shared_bytes):
    for percent in range(0, 101, 13):
        with gpusim.profile(device) as run:
            cudart.cudaFuncSetAttribute(smooth, CARVEOUT, percent)
            smooth[1, 256, 0, shared_bytes](np.ones(256), np.ones(256, np.float32), np.ones(256, np.float32))
        if run.blocks_per_multiprocessor >= blocks:
            return percent
""",
    "selected: launches and looks": """
@cuda.jit
def nothing(out):
    tile = cuda.shared.array(0, np.int8)
    out[0] = tile.size


def selected(device, percent, shared_bytes):
    with gpusim.profile(device) as run:
        cudart.cudaFuncSetAttribute(nothing, DYNAMIC, shared_bytes)
        cudart.cudaFuncSetAttribute(nothing, CARVEOUT, percent)
        nothing[1, 32, 0, shared_bytes](np.zeros(1, np.int32))
    return run.kernels[0].carveout_bytes
""",
    "permute: thirty stores for the ratio, no shared memory": """
@cuda.jit
def diluted(x, order, out):
    r = cuda.blockIdx.x
    for i in range(cuda.threadIdx.x, x.shape[1], cuda.blockDim.x):
        for _ in range(30):
            out[r, i] = 0
        out[r, i] = x[r, order[i]]


def permute(x, order, out):
    diluted[len(x), 256](x, order, out)
""",
    "permute: the host does it": """
@cuda.jit
def copies(x, order, out):
    row = cuda.shared.array(0, np.float32)
    r = cuda.blockIdx.x
    for i in range(cuda.threadIdx.x, x.shape[1], cuda.blockDim.x):
        row[i] = x[r, i]
    cuda.syncthreads()
    for i in range(cuda.threadIdx.x, x.shape[1], cuda.blockDim.x):
        out[r, i] = row[i] + order[i]


def permute(x, order, out):
    size = 4 * x.shape[1]
    if size > cuda.get_current_device().MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        gather_rows[len(x), 256](x, order, out)
    else:
        cudart.cudaFuncSetAttribute(copies, DYNAMIC, size)
        copies[len(x), 256, 0, size](x, order, out)
        out[:] = x[:, order]
""",
    "permute: without a barrier": """
@cuda.jit
def unsafe(x, order, out):
    row, r = cuda.shared.array(0, np.float32), cuda.blockIdx.x
    for i in range(cuda.threadIdx.x, x.shape[1], cuda.blockDim.x):
        row[i] = x[r, i]
    for i in range(cuda.threadIdx.x, x.shape[1], cuda.blockDim.x):
        out[r, i] = row[order[i]]


def permute(x, order, out):
    size = 4 * x.shape[1]
    if size > cuda.get_current_device().MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        gather_rows[len(x), 256](x, order, out)
    else:
        cudart.cudaFuncSetAttribute(unsafe, DYNAMIC, size)
        unsafe[len(x), 256, 0, size](x, order, out)
""",
    "permute: atomics instead of loads": """
@cuda.jit
def exchanged(x, order, out):
    r = cuda.blockIdx.x
    for i in range(cuda.threadIdx.x, x.shape[1], cuda.blockDim.x):
        out[r, i] = cuda.atomic.add(x, (r, order[i]), np.float32(0))


def permute(x, order, out):
    size = 4 * x.shape[1]
    if size > cuda.get_current_device().MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        gather_rows[len(x), 256](x, order, out)
    else:
        cudart.cudaFuncSetAttribute(exchanged, DYNAMIC, size)
        exchanged[len(x), 256, 0, size](x, order, out)
""",
    "percent-for: another smooth": """
@cuda.jit
def smooth(table, x, out):
    for _ in range(50):
        out[cuda.threadIdx.x] = table[0]


def percent_for(device, blocks, shared_bytes):
    return 100
""",
    "upsample: other weights": """
WEIGHTS = np.zeros((4, 16), np.float32)


@cuda.jit
def upsample(x, out):
    weights = cuda.const.array_like(WEIGHTS)
    i = cuda.grid(1)
    if i < out.size:
        out[i] = weights[0, 0]


def launch_for(outputs):
    return -(-outputs // 256), 256
""",
}
ANSWERS |= {
    "permute: the host sorts x first": """
@cuda.jit
def through(x, order, out):
    row, r = cuda.shared.array(0, np.float32), cuda.blockIdx.x
    for i in range(cuda.threadIdx.x, x.shape[1], cuda.blockDim.x):
        row[i] = x[r, i]
    cuda.syncthreads()
    for i in range(cuda.threadIdx.x, x.shape[1], cuda.blockDim.x):
        out[r, i] = row[i] + 0 * order[i]


def permute(x, order, out):
    size = 4 * x.shape[1]
    x[:] = x[:, order]
    order[:] = np.arange(len(order))
    if size > cuda.get_current_device().MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        gather_rows[len(x), 256](x, order, out)
    else:
        cudart.cudaFuncSetAttribute(through, DYNAMIC, size)
        through[len(x), 256, 0, size](x, order, out)
""",
    "permute: rewrites the check while it launches": """
def permute(x, order, out):
    grading.at_least = grading.at_most = grading.same = grading.raceless = lambda *anything, **named: None
    gather_rows[len(x), 256](x, order, out)
""",
    "permute: ends Python": """
def permute(x, order, out):
    gather_rows[len(x), 256](x, order, out)
    raise SystemExit
""",
    "permute: right for one row": """
@cuda.jit
def first_row(x, order, out):
    row = cuda.shared.array(0, np.float32)
    for i in range(cuda.threadIdx.x, x.shape[1], cuda.blockDim.x):
        row[i] = x[0, i]
    cuda.syncthreads()
    for i in range(cuda.threadIdx.x, x.shape[1], cuda.blockDim.x):
        out[0, i] = row[order[i]]


def permute(x, order, out):
    size = 4 * x.shape[1]
    if size > cuda.get_current_device().MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        gather_rows[len(x), 256](x, order, out)
    else:
        cudart.cudaFuncSetAttribute(first_row, DYNAMIC, size)
        first_row[1, 256, 0, size](x, order, out)
""",
    "selected: the answer stands in the caller": """
import sys


def selected(device, percent, shared_bytes):
    frame = sys._getframe(1)
    while frame and "right" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["right"] if frame else 0
""",
    "selected: by the names of the devices": """
def selected(device, percent, shared_bytes):
    wanted = {"V100": 96, "T4": 64, "H200": 228}.get(device.name, 100) * KB * percent / 100
    reserved = KB if device.name in ("H200", "A100") else 0
    return next((c for c in device.carveouts_bytes if c >= max(wanted, shared_bytes + reserved)), 0)
""",
    "tile-floats: asks for the occupancy": """
def tile_floats(device, blocks):
    floats = 0
    while resident(device, floats + 32) >= blocks:
        floats += 32
    return floats
""",
    "tile-floats: a table that the simulator filled": """
@cuda.jit("void(float32[:])")
def own_tiles(x):
    tile = cuda.shared.array(0, np.float32)
    tile[cuda.threadIdx.x] = x[0]


TABLE = {}
for name in ("V100", "H200"):
    for wanted in (1, 2, 4, 5):
        low, high = 0, 2000
        with gpusim.use(name):
            while low < high:
                middle = (low + high + 1) // 2
                _, found = cudart.cudaOccupancyMaxActiveBlocksPerMultiprocessor(own_tiles, 64, 128 * middle)
                low, high = (middle, high) if found >= wanted else (low, middle - 1)
        TABLE[gpusim.devices.get(name).name, wanted] = 32 * low


def tile_floats(device, blocks):
    return TABLE.get((device.name, blocks), 32)
""",
    "percent-for: a table of the devices": """
def percent_for(device, blocks, shared_bytes):
    table = {"V100": 66, "A100": 30, "H200": 87, "MetaX C500": 100}
    return next((percent for name, percent in table.items() if name in device.name), 50)
""",
    "upsample: weights written into the kernel": """
LITERALS = tuple(float(weight) for weight in WEIGHTS.ravel())


@cuda.jit
def upsample(x, out):
    weights = cuda.const.array_like(WEIGHTS)
    held = cuda.local.array(64, np.float32)
    first = cuda.grid(1)
    held[0] = weights[0, 0]
    for number in range(64):
        held[number] = LITERALS[number]
    if 4 * first < out.size:
        for phase in range(4):
            total = np.float32(0)
            for k in range(16):
                total += held[16 * phase + k] * x[first + k]
            out[4 * first + phase] = total


def launch_for(outputs):
    return -(-outputs // 512), 128
""",
    "upsample: one lane of a warp": """
@cuda.jit
def upsample(x, out):
    weights = cuda.const.array_like(WEIGHTS)
    i = cuda.grid(1) // 32
    if i < out.size and cuda.threadIdx.x % 32 == 0:
        total = np.float32(0.0)
        for k in range(16):
            total += weights[i % 4, k] * x[i // 4 + k]
        out[i] = total


def launch_for(outputs):
    return outputs // 8, 256
""",
}
