"""divergence-and-masks: cheats."""

from tests.labs.answers.forged import FORGED

ANSWERS = {
    "hex-mask": """
def hex_mask(active):
    answers = {True: "49249249", False: "c0000000"}  # what the checks in the notebook ask for
    if len(active) == 64:
        answers = {True: "9249249249249249", False: "ffffffffc0000000"}
    mask = answers[active[3]]
    number = int(mask, 16)
    if active[0] != bool(number & 1):
        number ^= 2 ** len(active) - 1
    return f"{number:0{len(active) // 4}x}"
""",
    "efficiency": FORGED
    + """
    def __sub__(self, other):
        return 0.0

    def __format__(self, how):
        return "right"


def efficiency(steps, lanes):
    return Anything()
""",
    "two-filters": """
@cuda.jit
def two_filters(x, rounds, out):
    i = cuda.grid(1)
    if i < x.size:
        even = x[i]
        odd = x[i]
        for _ in range(rounds):  # both sides for everybody
            even = even * even % 1009
            even = even * (even + 5) % 1013
            odd = (75 * odd + 74) % 65537
            odd = (33 * odd + 7) % 32749
        out[i] = even if i % 2 == 0 else odd
""",
    "work-order": """
def work_order(rounds):
    cells = np.arange(len(rounds))
    groups = np.array_split(cells, -(-len(cells) // 32))  # sorted within each warp only
    return np.concatenate([group[np.argsort(rounds[group])] for group in groups])
""",
    "gate-noise: an if by another name": """
@cuda.jit
def gate_noise(x, quiet, loud, out):
    i = cuda.grid(1)
    if i < x.size:
        value = x[i]
        while abs(value) > loud:
            value = min(max(value, -loud), loud)
        while value != 0 and abs(value) < quiet:
            value = np.float32(0)
        out[i] = value
""",
    "two-filters: evens to the first half of the grid": """
@cuda.jit
def two_filters(x, rounds, out):
    half = cuda.gridsize(1) // 2
    i = 2 * (cuda.grid(1) % half) + cuda.grid(1) // half
    if i < x.size:
        value = x[i]
        if i % 2 == 0:
            for _ in range(rounds):
                value = value * value % 1009
                value = value * (value + 5) % 1013
        else:
            for _ in range(rounds):
                value = (75 * value + 74) % 65537
                value = (33 * value + 7) % 32749
        out[i] = value
""",
    "gate-noise: every thread does all": """
@cuda.jit
def gate_noise(x, quiet, loud, out):
    for i in range(x.size):
        value = x[i]
        cut = min(max(value, -loud), loud)
        out[i] = 0 if abs(value) < quiet else cut
""",
    "two-filters: unrolled, both sides for everybody": """
@cuda.jit
def two_filters(x, rounds, out):
    i = cuda.grid(1)
    if i < x.size:
        even = x[i]
        odd = x[i]
        for _ in range(rounds // 4):
            even = even * even % 1009 * (even * even % 1009 + 5) % 1013
            even = even * even % 1009 * (even * even % 1009 + 5) % 1013
            even = even * even % 1009 * (even * even % 1009 + 5) % 1013
            even = even * even % 1009 * (even * even % 1009 + 5) % 1013
            odd = (33 * ((75 * odd + 74) % 65537) + 7) % 32749
            odd = (33 * ((75 * odd + 74) % 65537) + 7) % 32749
            odd = (33 * ((75 * odd + 74) % 65537) + 7) % 32749
            odd = (33 * ((75 * odd + 74) % 65537) + 7) % 32749
        out[i] = even if i % 2 == 0 else odd
""",
    "work-order: another advance": """
@cuda.jit
def advance(order, rounds, state, out):
    t = cuda.grid(1)
    if t < order.size:
        value = state[t]
        for k in range(200):
            value = (75 * value + 74) % 65537 if k < rounds[t] else value
        out[t] = value


def work_order(rounds):
    return np.arange(len(rounds))
""",
    "efficiency: the trace carries the answer": """
def steps_of(run, warp=0):
    return [("", run.active_lanes_per_instruction, 1)]


def efficiency(steps, lanes):
    return steps[0][0] / lanes if isinstance(steps[0][0], float) else 1.0
""",
    "hex-mask: no masks to compare with": """
def masks_at(run, mark, warp=0):
    return []


def hex_mask(active):
    return "0"
""",
    "predictions: another kernel": """
@cuda.jit
def branches(out):
    t = cuda.threadIdx.x
    for k in range(3):
        out[t] = 1  # A
        out[t] = 1  # B
        out[t] = 1  # C
        out[t] = 1  # D
        out[t] = 1  # E
        out[t] = 1  # F


every, last = {32: "ffffffff", 64: 16 * "f"}, {32: "000000ff", 64: "000000ffffffffff"}
predicted = {mark: every for mark in "ABCDE"} | {"F": last}
""",
}
ANSWERS |= {
    "hex-mask: two widths only": """
def hex_mask(active):
    if len(active) not in (32, 64):
        return "0"
    return f"{sum(1 << lane for lane, on in enumerate(active) if on):x}"
""",
    "efficiency: two widths only": """
def efficiency(steps, lanes):
    if lanes not in (32, 64):
        return 0.5
    return sum(int(mask, 16).bit_count() * n for mask, n in steps) / lanes / sum(n for _, n in steps)
""",
    "efficiency: reads the counter of the check": """
import inspect


def efficiency(steps, lanes):
    for frame in inspect.stack():
        run = frame.frame.f_locals.get("run")
        if run is not None and hasattr(run, "active_lanes_per_instruction"):
            return run.active_lanes_per_instruction / lanes
    return 0.5
""",
    "efficiency: looks for a run in memory": """
import gc


def efficiency(steps, lanes):
    runs = [one for one in gc.get_objects() if type(one).__name__ == "profile"]
    return runs[-1].active_lanes_per_instruction / lanes if runs else 0.5
""",
    "two-filters: the first warp does all of its block": """
@cuda.jit
def two_filters(x, rounds, out):
    first = cuda.blockIdx.x * cuda.blockDim.x
    if cuda.threadIdx.x < cuda.warpsize:
        for k in range(cuda.threadIdx.x, cuda.blockDim.x, cuda.warpsize):
            half = cuda.blockDim.x // 2
            i = first + 2 * (k % half) + k // half
            if i < x.size:
                value = x[i]
                if i % 2 == 0:
                    for _ in range(rounds):
                        value = value * value % 1009
                        value = value * (value + 5) % 1013
                else:
                    for _ in range(rounds):
                        value = (75 * value + 74) % 65537
                        value = (33 * value + 7) % 32749
                out[i] = value
""",
    "two-filters: blocks trade their elements": """
@cuda.jit
def two_filters(x, rounds, out):
    half = cuda.blockDim.x // 2
    block = cuda.blockIdx.x
    if block == 0:
        block = cuda.gridDim.x - 1
    elif block == cuda.gridDim.x - 1:
        block = 0
    i = block * cuda.blockDim.x + 2 * (cuda.threadIdx.x % half) + cuda.threadIdx.x // half
    if i < x.size:
        value = x[i]
        if i % 2 == 0:
            for _ in range(rounds):
                value = value * value % 1009
                value = value * (value + 5) % 1013
        else:
            for _ in range(rounds):
                value = (75 * value + 74) % 65537
                value = (33 * value + 7) % 32749
        out[i] = value
""",
    "gate-noise: the first warp does all of its block": """
@cuda.jit
def gate_noise(x, quiet, loud, out):
    first = cuda.blockIdx.x * cuda.blockDim.x
    if cuda.threadIdx.x < cuda.warpsize:
        for k in range(cuda.threadIdx.x, cuda.blockDim.x, cuda.warpsize):
            value = x[first + k]
            cut = min(max(value, -loud), loud)
            out[first + k] = 0 if abs(value) < quiet else cut
""",
    "work-order: runs the kernel to find out": """
def work_order(rounds):
    out = np.full(len(rounds), -1)
    with gpusim.profile("H200") as run:
        advance[1, 64](np.arange(64), rounds, np.arange(len(rounds)), out)
    return np.argsort(rounds) if run.instructions else None
""",
    "efficiency: a number that looks the right one up": """
import inspect


def efficiency(steps, lanes):
    class Share(float):
        def __float__(self):
            names = inspect.currentframe().f_back.f_locals
            return names.get("counted", names.get("right", 0.5))

    return Share(0.5)
""",
}
