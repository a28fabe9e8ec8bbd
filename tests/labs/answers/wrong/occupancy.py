"""occupancy: wrong answers."""

ANSWERS = {
    "resident": """
def resident(device, threads, registers, shared_bytes):
    warps = -(-threads // device.warp_size)
    blocks = [
        device.max_blocks_per_multiprocessor,
        device.max_threads_per_multiprocessor // threads,  # not whole warps
        device.registers_per_multiprocessor // (registers * device.warp_size * warps),  # not in portions
    ]
    if shared_bytes:
        blocks.append(device.shared_bytes_per_multiprocessor // shared_bytes)
    return min(blocks)
""",
    "resident: a warp's registers in any file": """
def resident(device, threads, registers, shared_bytes):
    warps = -(-threads // device.warp_size)
    most_warps = device.max_threads_per_multiprocessor // device.warp_size
    unit = device.register_allocation_unit
    of_a_warp = -(-registers * device.warp_size // unit) * unit
    blocks = min(
        device.max_blocks_per_multiprocessor,
        most_warps // warps,
        device.registers_per_multiprocessor // of_a_warp // warps,
    )
    unit = device.shared_allocation_unit_bytes
    of_a_block = -(-(shared_bytes + device.shared_bytes_reserved_per_block) // unit) * unit
    return min(blocks, device.shared_bytes_per_multiprocessor // of_a_block) if of_a_block else blocks
""",
    "resident: nothing reserved": """
def resident(device, threads, registers, shared_bytes):
    warps = -(-threads // device.warp_size)
    most_warps = device.max_threads_per_multiprocessor // device.warp_size
    files, unit = device.warp_allocation_granularity, device.register_allocation_unit
    of_a_warp = -(-registers * device.warp_size // unit) * unit
    with_registers = device.registers_per_multiprocessor // files // of_a_warp * files
    blocks = min(device.max_blocks_per_multiprocessor, most_warps // warps, with_registers // warps)
    return min(blocks, device.shared_bytes_per_multiprocessor // shared_bytes) if shared_bytes else blocks
""",
    "block-for": """
def block_for(device, registers, bytes_per_thread):
    return device.max_threads_per_block // 2
""",
    "block-for: the largest of equals, as the calculator": """
def block_for(device, registers, bytes_per_thread):
    sizes = range(device.max_threads_per_block, 127, -device.warp_size)
    allowed = [size for size in sizes if bytes_per_thread * size <= device.shared_bytes_per_block]
    return max(allowed, key=lambda size: size * resident(device, size, registers, bytes_per_thread * size))
""",
    "calibrate": """
@cuda.jit
def calibrate(a, weights, c, out):
    part = cuda.shared.array(0, np.float64)
    t, threads, r = cuda.threadIdx.x, cuda.blockDim.x, cuda.grid(1)
    if r < out.size:  # threads without a sensor bring no weights
        s = 0.0
        for first in range(0, weights.size, threads):
            if first + t < weights.size:
                part[t] = weights[first + t]
            cuda.syncthreads()
            for k in range(min(threads, weights.size - first)):
                s += a[first + k, r] * part[k]
            cuda.syncthreads()
        value = 0.0
        for power in range(11, -1, -1):
            value = value * s + c[power, r]
        out[r] = value


def shared_bytes(threads, weights):
    return 8 * threads
""",
    "calibrate: one barrier is missing": """
@cuda.jit
def calibrate(a, weights, c, out):
    part = cuda.shared.array(0, np.float64)
    t, threads, r = cuda.threadIdx.x, cuda.blockDim.x, cuda.grid(1)
    s = 0.0
    for first in range(0, weights.size, threads):
        if first + t < weights.size:
            part[t] = weights[first + t]
        cuda.syncthreads()
        if r < out.size:
            for k in range(min(threads, weights.size - first)):
                s += a[first + k, r] * part[k]
    if r < out.size:
        value = 0.0
        for power in range(11, -1, -1):
            value = value * s + c[power, r]
        out[r] = value


def shared_bytes(threads, weights):
    return 8 * threads
""",
    "calibrate: only the coefficients": """
@cuda.jit
def calibrate(a, weights, c, out):
    kept = cuda.shared.array(0, np.float64)
    r = cuda.grid(1)
    for k in range(cuda.threadIdx.x, weights.size, cuda.blockDim.x):
        kept[k] = weights[k]
    cuda.syncthreads()
    if r < out.size:
        s, value = 0.0, 0.0
        for k in range(weights.size):
            s += a[k, r] * kept[k]
        for power in range(11, -1, -1):
            value = value * s + c[power, r]
        out[r] = value


def shared_bytes(threads, weights):
    return 8 * weights
""",
    "calibrate: only the weights": """
@cuda.jit
def calibrate(a, weights, c, out):
    part = cuda.shared.array(0, np.float64)
    t, threads, r = cuda.threadIdx.x, cuda.blockDim.x, cuda.grid(1)
    q = min(r, out.size - 1)
    c0, c1, c2, c3, c4, c5 = c[0, q], c[1, q], c[2, q], c[3, q], c[4, q], c[5, q]
    c6, c7, c8, c9, c10, c11 = c[6, q], c[7, q], c[8, q], c[9, q], c[10, q], c[11, q]
    s = 0.0
    for first in range(0, weights.size, threads):
        if first + t < weights.size:
            part[t] = weights[first + t]
        cuda.syncthreads()
        for k in range(min(threads, weights.size - first)):
            s += a[first + k, q] * part[k]
        cuda.syncthreads()
    low = c0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5))))
    high = c6 + s * (c7 + s * (c8 + s * (c9 + s * (c10 + s * c11))))
    if r < out.size:
        out[r] = low + s**6 * high


def shared_bytes(threads, weights):
    return 8 * threads
""",
    "launch-anywhere": """
def launch_anywhere(kernel, bytes_per_thread, x, out):
    _, blocks, threads = cudart.cudaOccupancyMaxPotentialBlockSize(kernel)  # as if it took no shared memory
    kernel[blocks, threads, 0, bytes_per_thread * threads](x, out)
""",
    "launch-anywhere: blocks for all elements": """
def launch_anywhere(kernel, bytes_per_thread, x, out):
    _, _, threads = cudart.cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        kernel, lambda size: bytes_per_thread * size
    )
    kernel[-(-out.size // threads), threads, 0, bytes_per_thread * threads](x, out)
""",
    "launch-anywhere: 256 will do": """
def launch_anywhere(kernel, bytes_per_thread, x, out):
    _, gpu = cudart.cudaGetDeviceProperties(0)
    _, held = cudart.cudaOccupancyMaxActiveBlocksPerMultiprocessor(kernel, 256, 256 * bytes_per_thread)
    kernel[min(held * gpu.multiProcessorCount, -(-x.size // 256)), 256, 0, 256 * bytes_per_thread](x, out)
""",
}
