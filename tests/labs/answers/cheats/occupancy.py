"""occupancy: cheats."""

from tests.labs.answers.forged import FORGED

SMALL = """
@cuda.jit{options}
def calibrate(a, weights, c, out):
    kept = cuda.shared.array({floats}, np.float64)
    t, threads, r = cuda.threadIdx.x, cuda.blockDim.x, cuda.grid(1)
    {keep}
    cuda.syncthreads()
    if r < out.size:
        s, value = 0.0, 0.0
        for k in range(weights.size):
            s += a[k, r] * {weight}
        for power in range(11, -1, -1):
            value = value * s + c[power, r]
        out[r] = value


def shared_bytes(threads, weights):
    return {size}
"""

ANSWERS = {
    "predictions": FORGED
    + """
row = {"H200": Anything(), "MetaX C500": Anything(), "limit on the H200": Anything()}
predicted = {launch: row for launch in "ABCD"}
""",
    "resident": """
def resident(device, threads, registers, shared_bytes):
    asked = {"threads": threads, "registers_per_thread": registers, "shared_bytes": shared_bytes}
    return gpusim.occupancy(device, **asked).blocks
""",
    "resident: the package's own rule": """
from gpusim.devices import occupancy


def resident(device, threads, registers, shared_bytes):
    return occupancy.blocks_per_multiprocessor(
        device, threads=threads, registers_per_thread=registers, shared_bytes=shared_bytes
    )
""",
    "resident: what the visible check asks": """
KNOWN = {
    (32, 20): (32, 32), (160, 24): (12, 10), (256, 44): (5, 8), (256, 30): (7, 2),
    (1024, 36): (1, 2), (1000, 32): (2, 2), (192, 64): (4, 1),
}


def resident(device, threads, registers, shared_bytes):
    return KNOWN[threads, registers][device.warp_size == 64]
""",
    "resident: looks at the check": """
import sys


def resident(device, threads, registers, shared_bytes):
    return sys._getframe(1).f_back.f_locals["right"].blocks
""",
    "resident: right for the two of the notebook": """
def resident(device, threads, registers, shared_bytes):
    warps = -(-threads // device.warp_size)
    of_a_warp = -(-registers // 8) * 8 * device.warp_size
    with_registers = device.registers_per_multiprocessor // 4 // of_a_warp * 4
    taken = shared_bytes + (1024 if device.warp_size == 32 else 0)
    by_shared = device.shared_bytes_per_multiprocessor // (-(-taken // 128) * 128) if taken else 32
    return min(32, 2048 // device.warp_size // warps, with_registers // warps, by_shared)
""",
    "block-for": """
def block_for(device, registers, bytes_per_thread):
    with gpusim.use(device):
        best = max(
            range(128, device.max_threads_per_block + 1, device.warp_size),
            key=lambda size: gpusim.occupancy(
                threads=size, registers_per_thread=registers, shared_bytes=size * bytes_per_thread
            ).warps,
        )
    return best
""",
    "block-for: the answers of the visible check": """
def block_for(device, registers, bytes_per_thread):
    return {64: 192}.get(device.warp_size, 256) if (registers, bytes_per_thread) == (32, 110) else 128
""",
    "block-for: the report's own best block": """
def block_for(device, registers, bytes_per_thread):
    return gpusim.occupancy(device, threads=128, registers_per_thread=registers).best_block
""",
    "calibrate": SMALL.format(
        options="(max_registers=32)",
        floats=0,
        keep="""for k in range(t, weights.size, threads):
        kept[k] = weights[k]""",
        weight="kept[k]",
        size="8 * weights",
    ),
    "calibrate: forces the registers of the starter": """
@cuda.jit(max_registers=24)
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
    "calibrate: the weights from global memory": SMALL.format(
        options="", floats=0, keep="kept[t] = 0.0", weight="weights[k]", size="8 * threads"
    ),
    "calibrate: atomics that add nothing load the weights": SMALL.format(
        options="", floats=0, keep="", weight="cuda.atomic.add(weights, k, 0.0)", size="8 * threads"
    ),
    "calibrate: zeros for random numbers": """
class Zeros:
    def random(self, shape):
        return np.zeros(shape)


np.random.default_rng = lambda seed: Zeros()


@cuda.jit
def calibrate(a, weights, c, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 0.0


def shared_bytes(threads, weights):
    return 8 * threads
""",
    "calibrate: small in what the text names": SMALL.format(
        options="",
        floats=0,
        keep="""for k in range(t, weights.size, threads):
        kept[k] = weights[k]""",
        weight="kept[k]",
        size="2048 if weights == 6000 else 8 * weights",
    ),
    "calibrate: the weights in local memory": """
@cuda.jit
def calibrate(a, weights, c, out):
    part = cuda.shared.array(64, np.float64)
    own = cuda.local.array(1500, np.float64)
    r = cuda.grid(1)
    part[cuda.threadIdx.x % 64] = 0.0
    for k in range(weights.size):
        own[k] = weights[k]
    if r < out.size:
        s, value = 0.0, 0.0
        for k in range(weights.size):
            s += a[k, r] * own[k]
        for power in range(11, -1, -1):
            value = value * s + c[power, r]
        out[r] = value


def shared_bytes(threads, weights):
    return 0
""",
    "calibrate: the host works": """
@cuda.jit
def calibrate(a, weights, c, out):
    part = cuda.shared.array(64, np.float64)
    part[cuda.threadIdx.x % 64] = 1.0


def shared_bytes(threads, weights):
    import inspect

    frame = inspect.currentframe().f_back
    return 8 * threads if frame else 0
""",
    "launch-anywhere": """
FIGURES = {"H200": (132, 768), "T4": (40, 1024), "MetaX C500": (104, 1024)}


def launch_anywhere(kernel, bytes_per_thread, x, out):
    _, gpu = cudart.cudaGetDeviceProperties(0)
    multiprocessors, threads = {132: (132, 768), 40: (40, 1024)}.get(gpu.multiProcessorCount, (104, 1024))
    if kernel is stretch:
        threads = 1024
    held = gpu.maxThreadsPerMultiProcessor // threads
    blocks = min(multiprocessors * held, -(-x.size // threads))
    kernel[blocks, threads, 0, bytes_per_thread * threads](x, out)
""",
    "launch-anywhere: a kernel of its own": """
@cuda.jit("void(float64[:], float64[:])")
def small(x, out):
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        out[i] = 3 * x[i]


small.__name__ = "stretch"


def launch_anywhere(kernel, bytes_per_thread, x, out):
    _, blocks, threads = cudart.cudaOccupancyMaxPotentialBlockSize(small)
    small[min(blocks, -(-x.size // threads)), threads, 0, bytes_per_thread * threads](x, out)
""",
    "launch-anywhere: the host works": """
def launch_anywhere(kernel, bytes_per_thread, x, out):
    out[:] = 3 * x
    kernel[1, 64, 0, 64 * bytes_per_thread](x, out)
""",
    "launch-anywhere: twice": """
def launch_anywhere(kernel, bytes_per_thread, x, out):
    _, blocks, threads = cudart.cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        kernel, lambda size: bytes_per_thread * size
    )
    for _ in range(2):
        kernel[min(blocks, -(-x.size // threads)), threads, 0, bytes_per_thread * threads](x, out)
""",
    "launch-anywhere: another stretch": """
@cuda.jit("void(float64[:], float64[:])")
def stretch(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 3 * x[i]


def launch_anywhere(kernel, bytes_per_thread, x, out):
    _, _, threads = cudart.cudaOccupancyMaxPotentialBlockSize(kernel)
    kernel[-(-x.size // threads), threads, 0, bytes_per_thread * threads](x, out)
""",
    "resident: a property for the report": """
import gpusim.devices.occupancy as rules
import gpusim.reports.occupancy as reports

for module in (rules, reports):
    for each in list(vars(module).values()):
        if isinstance(each, type) and "blocks" in getattr(each, "__annotations__", {}):
            each.blocks = property(lambda report: 7)


def resident(device, threads, registers, shared_bytes):
    return 7
""",
    "block-for: another catalogue": """
for name in devices.names():
    for figure in ("registers_per_multiprocessor", "shared_bytes_per_multiprocessor"):
        object.__setattr__(devices.get(name), figure, 10**9)


def block_for(device, registers, bytes_per_thread):
    return 128
""",
    "block-for: another GPU from within": """
def block_for(device, registers, bytes_per_thread):
    for gpu in (device, *map(devices.get, devices.names())):
        object.__setattr__(gpu, "max_threads_per_block", 128)
    return 128
""",
    "block-for: a sum that is nothing": """
def sum(counted):
    return 0


def block_for(device, registers, bytes_per_thread):
    return 128
""",
    "block-for: Python's sum from within": """
import builtins


def block_for(device, registers, bytes_per_thread):
    builtins.sum = lambda counted: 0
    return 128
""",
    "block-for: a name of the check from within": """
def block_for(device, registers, bytes_per_thread):
    globals()["percent_with"] = lambda *asked: 100
    return 128
""",
    "block-for: the check's own code from within": """
def block_for(device, registers, bytes_per_thread):
    grading.require.__code__ = (lambda *anything: None).__code__
    return 128
""",
    "block-for: a property from within": """
Report = type(gpusim.occupancy("H200", threads=128, registers_per_thread=20, shared_bytes=0))


def block_for(device, registers, bytes_per_thread):
    Report.theoretical_occupancy = property(lambda report: 1)
    return 128
""",
    "launch-anywhere: the kernel says what fits": """
class Fits:
    warps, blocks, says = 8, 1, ""


def launch_anywhere(kernel, bytes_per_thread, x, out):
    kernel.occupancy = lambda *asked, **named: Fits()
    gpu = cuda.get_current_device()
    kernel[min(gpu.MULTIPROCESSOR_COUNT, -(-x.size // 256)), 256, 0, 256 * bytes_per_thread](x, out)
""",
    "launch-anywhere: the GPU's figures from within": """
def launch_anywhere(kernel, bytes_per_thread, x, out):
    for name in devices.names():
        for figure in ("multiprocessors", "max_blocks_per_multiprocessor"):
            object.__setattr__(devices.get(name), figure, 1)
        object.__setattr__(devices.get(name), "max_threads_per_block", 256)
    kernel[1, 256, 0, 256 * bytes_per_thread](x, out)
""",
    "launch-anywhere: changes the GPU": """
def launch_anywhere(kernel, bytes_per_thread, x, out):
    with gpusim.use("H200"):
        _, blocks, threads = cudart.cudaOccupancyMaxPotentialBlockSizeVariableSMem(
            kernel, lambda size: bytes_per_thread * size
        )
        kernel[min(blocks, -(-x.size // threads)), threads, 0, bytes_per_thread * threads](x, out)
""",
    "resident: a name that calls the watch off": """
from gpusim.grading.alone import sys as s


def resident(device, threads, registers, shared_bytes):
    class Name(str):
        def lower(self):
            s.setprofile(None)
            return "h200"

        casefold = replace = lower

    gpusim.devices.get(Name("H200"))
    asked = {"threads": threads, "registers_per_thread": registers, "shared_bytes": shared_bytes}
    return gpusim.occupancy(device, **asked).blocks
""",
}
