"""on-chip-memory: wrong answers."""

ANSWERS = {
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
