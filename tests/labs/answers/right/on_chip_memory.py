"""on-chip-memory: right answers in other forms."""

ANSWERS = {
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
ANSWERS |= {
    "selected: with next": """
def selected(device, percent, shared_bytes):
    unit = device.shared_allocation_unit_bytes
    taken = (shared_bytes + device.shared_bytes_reserved_per_block + unit - 1) // unit * unit
    wanted = max(percent / 100 * max(device.carveouts_bytes), taken)
    return next((c for c in sorted(device.carveouts_bytes) if c >= wanted), max(device.carveouts_bytes))
""",
    "selected: with bisect": """
from bisect import bisect_left


def selected(device, percent, shared_bytes):
    unit, largest = device.shared_allocation_unit_bytes, device.carveouts_bytes[-1]
    taken = -(-(shared_bytes + device.shared_bytes_reserved_per_block) // unit) * unit
    place = bisect_left(device.carveouts_bytes, max(taken, -(-percent * largest // 100)))
    return float(device.carveouts_bytes[min(place, len(device.carveouts_bytes) - 1)])
""",
    "tile-floats: by hand": """
def tile_floats(device, blocks):
    per_block = device.shared_bytes_per_multiprocessor // blocks
    per_block -= per_block % device.shared_allocation_unit_bytes
    own = min(per_block - device.shared_bytes_reserved_per_block, device.shared_bytes_per_block_optin)
    return float(own // 128 * 32)
""",
    "percent-for: calls its own helper": """
def taken_by(device, size):
    unit = device.shared_allocation_unit_bytes
    return -(-(size + device.shared_bytes_reserved_per_block) // unit) * unit


def percent_for(device, blocks, shared_bytes):
    wanted = blocks * taken_by(device, shared_bytes)
    for capacity in device.carveouts_bytes:
        if capacity >= wanted:
            return int(np.floor(100 * capacity / device.carveouts_bytes[-1]))
""",
    "upsample: a tile of inputs, eight outputs a thread": """
@cuda.jit
def upsample(x, out):
    weights = cuda.const.array_like(WEIGHTS)
    for part in range(2):
        first = 2 * cuda.blockIdx.x * cuda.blockDim.x + part * cuda.blockDim.x + cuda.threadIdx.x
        if first < out.size // 4:
            a = b = c = d = np.float32(0)
            for k in range(16):
                value = x[first + k]
                a += value * weights[0, k]
                b += value * weights[1, k]
                c += value * weights[2, k]
                d += value * weights[3, k]
            out[4 * first], out[4 * first + 1] = a, b
            out[4 * first + 2], out[4 * first + 3] = c, d


def launch_for(outputs):
    return (outputs // 4 + 255) // 256, 128
""",
}
