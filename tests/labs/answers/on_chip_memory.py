"""on-chip-memory: what may students write? Wrong, by a cheat, right in another form."""

WRONG = {
    "selected": """
def selected(device, percent, shared_bytes):
    wanted = max(percent * device.carveouts_bytes[-1] // 100, shared_bytes)
    least = device.carveouts_bytes[0]
    return max(c for c in device.carveouts_bytes if c <= max(wanted, least))  # rounded down
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
    permute_rows[x.shape[0], 256, 0, x.itemsize * x.shape[1]](x, order, out)  # without an opt-in
""",
    "tile-floats": """
def tile_floats(device, blocks):
    own = device.shared_bytes_per_multiprocessor // blocks - device.shared_bytes_reserved_per_block
    return own // 4 // 32 * 32  # neither the unit nor the limit of a block
""",
    "upsample": """
TURNED = WEIGHTS.T.copy()  # another layout, as if there were banks


@cuda.jit
def upsample(x, out):
    weights = cuda.const.array_like(TURNED)
    i = cuda.grid(1)
    if i < out.size:
        total = np.float32(0.0)
        for k in range(16):
            total += weights[k, i % 4] * x[i // 4 + k]
        out[i] = total


def launch_for(outputs):
    return -(-outputs // 256), 256
""",
    "percent-for: rounded up": """
def percent_for(device, blocks, shared_bytes):
    wanted = blocks * (shared_bytes + device.shared_bytes_reserved_per_block)
    capacity = min(c for c in device.carveouts_bytes if c >= wanted)
    return -(-100 * capacity // device.carveouts_bytes[-1])
""",
    "percent-for: of L1 and shared memory together": """
def percent_for(device, blocks, shared_bytes):
    return 100 * blocks * shared_bytes // device.l1_and_shared_bytes
""",
    "percent-for: all for L1": """
def percent_for(device, blocks, shared_bytes):
    return 0
""",
}

CHEATS = {
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

RIGHT = {
    "selected: with NumPy": """
def selected(device, percent, shared_bytes):
    capacities = np.array(device.carveouts_bytes)
    unit = device.shared_allocation_unit_bytes
    block = np.ceil((shared_bytes + device.shared_bytes_reserved_per_block) / unit) * unit
    enough = capacities[(capacities >= capacities[-1] * percent / 100) & (capacities >= block)]
    return enough[0] if len(enough) else capacities[-1]
""",
    "permute: tries, and asks the runtime": """
@cuda.jit
def in_shared(x, order, out):
    row, r = cuda.shared.array(0, np.float32), cuda.blockIdx.x
    i = cuda.threadIdx.x
    while i < x.shape[1]:
        row[i] = x[r, i]
        i += 512
    cuda.syncthreads()
    i = cuda.threadIdx.x
    while i < x.shape[1]:
        out[r, i] = row[order[i]]
        i += 512


def permute(x, order, out):
    size = x[0].nbytes
    attribute = cudart.cudaDeviceAttr.cudaDevAttrMaxSharedMemoryPerBlockOptin
    _, most = cudart.cudaDeviceGetAttribute(attribute, 0)
    if size <= most:
        cudart.cudaFuncSetAttribute(in_shared, DYNAMIC, size)
        in_shared[x.shape[0], 512, 0, size](x, order, out)
    else:
        gather_rows[x.shape[0], 256](x, order, out)
""",
    "tile-floats: by trying": """
def tile_floats(device, blocks):
    unit, reserved = device.shared_allocation_unit_bytes, device.shared_bytes_reserved_per_block
    floats = 0
    while True:
        size = 4 * (floats + 32)
        if size > device.shared_bytes_per_block_optin:
            return np.int64(floats)
        if blocks * (-(-(size + reserved) // unit) * unit) > device.shared_bytes_per_multiprocessor:
            return np.int64(floats)
        floats += 32
""",
    "percent-for: the smallest that will do": """
def percent_for(device, blocks, shared_bytes):
    for percent in range(101):
        wanted = percent * device.carveouts_bytes[-1] / 100
        capacity = min(c for c in device.carveouts_bytes if c >= wanted)
        if capacity // (shared_bytes + device.shared_bytes_reserved_per_block) >= blocks:
            return float(percent)
""",
    "upsample: with while, 64 threads": """
@cuda.jit
def upsample(x, out):
    weights = cuda.const.array_like(WEIGHTS)
    sums = cuda.local.array(4, np.float32)
    first = cuda.grid(1)
    while 4 * first < out.size:
        for phase in range(4):
            sums[phase] = 0
        for k in range(16):
            value = x[first + k]
            for phase in range(4):
                sums[phase] += weights[phase, k] * value
        for phase in range(4):
            out[4 * first + phase] = sums[phase]
        first += cuda.gridsize(1)


def launch_for(outputs):
    return [np.int64(outputs // 256), 64]
""",
    "permute: the arguments in another order": """
@cuda.jit
def permuted(out, x, order, length):
    row, r = cuda.shared.array(0, np.float32), cuda.blockIdx.x
    for i in range(cuda.threadIdx.x, length, cuda.blockDim.x):
        row[i] = x[r, i]
    cuda.syncthreads()
    for i in range(cuda.threadIdx.x, length, cuda.blockDim.x):
        out[r, i] = row[order[i]]


def permute(x, order, out):
    size = 4 * x.shape[1]
    if size > cuda.get_current_device().MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        gather_rows[len(x), 256](x, order, out)
    else:
        cudart.cudaFuncSetAttribute(permuted, DYNAMIC, size)
        permuted[len(x), 256, 0, size](out, x, order, x.shape[1])
""",
}
