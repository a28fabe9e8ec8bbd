"""occupancy: right answers in other forms."""

ANSWERS = {
    "predictions: other spellings": """
predicted = {
    "A": {"H200": np.int64(32), "MetaX C500": 32.0, "limit on the H200": "Blocks"},
    "B": {"H200": 12, "MetaX C500": 10, "limit on the H200": " warps "},
    "C": {"MetaX C500": 16, "limit on the H200": "REGISTERS", "H200": 12},
    "D": {"H200": 4, "MetaX C500": 1, "limit on the H200": "Shared  Memory"},
}
""",
    "resident: with NumPy": """
def resident(device, threads, registers, shared_bytes):
    warps = int(np.ceil(threads / device.warp_size))
    portions = int(np.ceil(registers * device.warp_size / device.register_allocation_unit))
    file = device.registers_per_multiprocessor // device.warp_allocation_granularity
    per_file = file // (portions * device.register_allocation_unit)
    taken = shared_bytes + device.shared_bytes_reserved_per_block
    taken = int(np.ceil(taken / device.shared_allocation_unit_bytes)) * device.shared_allocation_unit_bytes
    limits = [
        device.max_blocks_per_multiprocessor,
        device.max_threads_per_multiprocessor // device.warp_size // warps,
        per_file * device.warp_allocation_granularity // warps,
    ]
    if taken:
        limits.append(device.shared_bytes_per_multiprocessor // taken)
    return np.min(limits)
""",
    "resident: puts block after block, warp after warp": """
def resident(device, threads, registers, shared_bytes):
    unit, width = device.register_allocation_unit, device.warp_size
    warp = (registers * width + unit - 1) // unit * unit
    unit = device.shared_allocation_unit_bytes
    tile = (shared_bytes + device.shared_bytes_reserved_per_block + unit - 1) // unit * unit
    size = device.registers_per_multiprocessor // device.warp_allocation_granularity
    files = [size] * device.warp_allocation_granularity
    blocks = places = 0
    while blocks < device.max_blocks_per_multiprocessor:
        for _ in range(-(-threads // width)):
            roomiest = max(range(len(files)), key=files.__getitem__)
            files[roomiest] -= warp
            places += 1
            if files[roomiest] < 0 or places > device.max_threads_per_multiprocessor // width:
                return blocks
        if tile * (blocks + 1) > device.shared_bytes_per_multiprocessor:
            return blocks
        blocks += 1
    return float(blocks)
""",
    "block-for: sorted": """
def block_for(device, registers, bytes_per_thread):
    def warps(size):
        return resident(device, size, registers, bytes_per_thread * size) * (size // device.warp_size)

    sizes = range(128, device.max_threads_per_block + 1, device.warp_size)
    allowed = [size for size in sizes if bytes_per_thread * size <= device.shared_bytes_per_block]
    return sorted(allowed, key=lambda size: (-warps(size), size))[0]
""",
    "block-for: from the largest down, a float": """
def block_for(device, registers, bytes_per_thread):
    best = (0, 0)
    size = device.max_threads_per_block
    while size >= 128:
        if size * bytes_per_thread <= device.shared_bytes_per_block:
            best = max(best, (resident(device, size, registers, bytes_per_thread * size) * size, -size))
        size -= device.warp_size
    return float(-best[1])
""",
    "block-for: with NumPy": """
def block_for(device, registers, bytes_per_thread):
    most = device.max_threads_per_block
    if bytes_per_thread:
        most = min(most, device.shared_bytes_per_block // bytes_per_thread)
    sizes = np.arange(128, most + 1, device.warp_size)
    held = [size * resident(device, int(size), registers, int(size) * bytes_per_thread) for size in sizes]
    return sizes[np.argmax(held)]
""",
    "calibrate: with while, powers upwards": """
@cuda.jit
def calibrate(a, weights, c, out):
    part = cuda.shared.array(0, np.float64)
    r = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    s = 0.0
    first = 0
    while first < weights.size:
        if first + cuda.threadIdx.x < weights.size:
            part[cuda.threadIdx.x] = weights[first + cuda.threadIdx.x]
        cuda.syncthreads()
        k = 0
        while r < out.size and k < cuda.blockDim.x and first + k < weights.size:
            s += part[k] * a[first + k, r]
            k += 1
        cuda.syncthreads()
        first += cuda.blockDim.x
    if r < out.size:
        value, power = 0.0, 1.0
        for j in range(12):
            value += c[j, r] * power
            power *= s
        out[r] = value


def shared_bytes(threads, weights):
    return np.int64(8 * threads)
""",
    "calibrate: two weights per thread and portion": """
@cuda.jit
def calibrate(a, weights, c, out):
    part = cuda.shared.array(0, np.float64)
    t, r = cuda.threadIdx.x, cuda.grid(1)
    portion = 2 * cuda.blockDim.x
    s = 0.0
    for first in range(0, weights.size, portion):
        here = min(portion, weights.size - first)
        for k in range(t, here, cuda.blockDim.x):
            part[k] = weights[first + k]
        cuda.syncthreads()
        if r < out.size:
            for k in range(here):
                s += a[first + k, r] * part[k]
        cuda.syncthreads()
    if r < out.size:
        value = c[11, r]
        for j in range(10, -1, -1):
            value = value * s + c[j, r]
        out[r] = value


def shared_bytes(threads, weights):
    return float(16 * threads)
""",
    "calibrate: an array of a fixed size, for blocks of 256": """
PORTION = 256


@cuda.jit
def calibrate(a, weights, c, out):
    part = cuda.shared.array(PORTION, np.float64)
    t, r = cuda.threadIdx.x, cuda.grid(1)
    s = 0.0
    for first in range(0, weights.size, PORTION):
        if first + t < weights.size:
            part[t] = weights[first + t]
        cuda.syncthreads()
        if r < out.size:
            for k in range(min(PORTION, weights.size - first)):
                s += a[first + k, r] * part[k]
        cuda.syncthreads()
    if r < out.size:
        out[r] = c[0, r] + s * (c[1, r] + s * (c[2, r] + s * (c[3, r] + s * (c[4, r] + s * (c[5, r] + s * (
            c[6, r] + s * (c[7, r] + s * (c[8, r] + s * (c[9, r] + s * (c[10, r] + s * c[11, r]))))))))))


def shared_bytes(threads, weights):
    return 0
""",
    "calibrate: threads without a sensor repeat the last one": """
@cuda.jit
def calibrate(a, weights, c, out):
    part = cuda.shared.array(0, np.float64)
    t, threads, last = cuda.threadIdx.x, cuda.blockDim.x, out.size - 1
    r = min(cuda.grid(1), last)
    s = 0.0
    for first in range(0, weights.size, threads):
        k = first + t
        part[t] = weights[k] if k < weights.size else 0.0
        cuda.syncthreads()
        for k in range(min(threads, weights.size - first)):
            s += a[first + k, r] * part[k]
        cuda.syncthreads()
    value = 0.0
    for power in range(12):
        value = value * s + c[11 - power, r]
    if cuda.grid(1) <= last:
        out[r] = value


def shared_bytes(threads, weights):
    return 8 * threads
""",
    "launch-anywhere: with Numba's calls": """
def launch_anywhere(kernel, bytes_per_thread, x, out):
    context = cuda.current_context()
    _, threads = context.get_max_potential_block_size(kernel, lambda size: bytes_per_thread * size, 0, 0)
    held = context.get_active_blocks_per_multiprocessor(kernel, threads, bytes_per_thread * threads)
    blocks = held * cuda.get_current_device().MULTIPROCESSOR_COUNT
    kernel[min(blocks, (x.size + threads - 1) // threads), threads, 0, bytes_per_thread * threads](x, out)
""",
    "launch-anywhere: MXMACA's names": """
def launch_anywhere(kernel, bytes_per_thread, x, out):
    def size_of(threads):
        return bytes_per_thread * threads

    _, grid, threads = cudart.mcOccupancyMaxPotentialBlockSizeVariableSMem(kernel, size_of, 0)
    kernel[(int(min(grid, np.ceil(len(x) / threads))), 1), (threads, 1), 0, size_of(threads)](x, out)
""",
    "launch-anywhere: tries all sizes, takes the smallest": """
def launch_anywhere(kernel, bytes_per_thread, x, out):
    _, gpu = cudart.cudaGetDeviceProperties(0)
    best, most, held = 0, 0, 0
    for threads in range(gpu.warpSize, gpu.maxThreadsPerBlock + 1, gpu.warpSize):
        size = bytes_per_thread * threads
        _, blocks = cudart.cudaOccupancyMaxActiveBlocksPerMultiprocessor(kernel, threads, size)
        if blocks * threads > most:
            best, most, held = threads, blocks * threads, blocks
    grid = min(held * gpu.multiProcessorCount, -(-x.size // best))
    kernel[grid, best, 0, bytes_per_thread * best](x, out)
""",
    "launch-anywhere: asks the kernel": """
def launch_anywhere(kernel, bytes_per_thread, x, out):
    gpu = cuda.get_current_device()
    sizes = range(gpu.WARP_SIZE, gpu.MAX_THREADS_PER_BLOCK + 1, gpu.WARP_SIZE)
    reports = [kernel.occupancy(size, bytes_per_thread * size) for size in sizes]
    found = max(reports, key=lambda report: report.warps)
    blocks = min(found.blocks * gpu.MULTIPROCESSOR_COUNT, -(-out.size // found.threads))
    kernel[blocks, found.threads, 0, found.shared_bytes](x, out)
""",
}
