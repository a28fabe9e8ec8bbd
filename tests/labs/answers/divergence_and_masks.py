"""divergence-and-masks: what may students write? Wrong, by a cheat, right in another form."""

from tests.labs.answers.forged import FORGED

WRONG = {
    "predictions": """
predicted = {  # lane 0 on the left
    "A": {32: "88888888", 64: "8888888888888888"},
    "B": {32: "55555000", 64: "5555500000000000"},
    "C": {32: "aaaaa000", 64: "aaaaa00000000000"},
    "D": {32: "00000fff", 64: "00000fffffffffff"},
    "E": {32: "11111111", 64: "1111111111111111"},
    "F": {32: "fe000000", 64: "fefefefefe000000"},
}
""",
    "hex-mask": """
def hex_mask(active):
    number = 0
    for is_active in active:
        number = 2 * number + is_active  # lane 0 becomes the highest bit
    return f"{number:0{len(active) // 4}x}"
""",
    "efficiency": """
def efficiency(steps, lanes):
    return sum(int(mask, 16).bit_count() / lanes for mask, _ in steps) / len(steps)  # unweighted
""",
    "two-filters": """
@cuda.jit
def two_filters(x, rounds, out):
    i = cuda.grid(1)
    if i < x.size:
        value = x[i]
        if cuda.threadIdx.x < cuda.blockDim.x // 2:  # branches follow warps, elements do not
            for _ in range(rounds):
                value = value * value % 1009
                value = value * (value + 5) % 1013
        else:
            for _ in range(rounds):
                value = (75 * value + 74) % 65537
                value = (33 * value + 7) % 32749
        out[i] = value
""",
    "work-order": """
def work_order(rounds):
    return np.sort(rounds)  # the rounds, not the cells
""",
    "gate-noise": """
@cuda.jit
def gate_noise(x, quiet, loud, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = min(max(x[i], quiet), loud)  # negative samples forgotten
""",
    "hex-mask: no digits": """
def hex_mask(active):
    return ", ".join(str(lane) for lane, is_active in enumerate(active) if is_active)
""",
}

CHEATS = {
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

RIGHT = {
    "predictions: 0x, upper case, numbers": """
predicted = {
    "A": {32: "0x11111111"},
    "B": {32: "000AAAAA"},
    "C": {32: 0x00055555},
    "D": {32: "FFF0_0000", 64: "0xFFFFFFFFFFF00000"},
    "E": {32: np.uint32(0x88888888)},
    "F": {32: "7f", 64: "7f7f7f7f7f"},
}
""",
    "hex-mask: with 0x, in NumPy": """
def hex_mask(active):
    return hex(int((np.array(active, object) * 2 ** np.arange(len(active)).astype(object)).sum()))
""",
    "efficiency": """
def efficiency(steps, lanes):
    bits = np.array([bin(int(mask, 16)).count("1") for mask, _ in steps])
    return np.average(bits / lanes, weights=[count for _, count in steps])
""",
    "two-filters: odd ones first": """
@cuda.jit
def two_filters(x, rounds, out):
    t, half = cuda.threadIdx.x, cuda.blockDim.x // 2
    first = cuda.blockIdx.x * cuda.blockDim.x
    if t < half:
        i = first + 2 * t + 1
        if i < x.size:
            value = x[i]
            for _ in range(rounds):
                value = (75 * value + 74) % 65537
                value = (33 * value + 7) % 32749
            out[i] = value
    else:
        i = first + 2 * (t - half)
        if i < x.size:
            value = x[i]
            for _ in range(rounds):
                value = value * value % 1009
                value = value * (value + 5) % 1013
            out[i] = value
""",
    "gate-noise: by a product": """
@cuda.jit
def gate_noise(x, quiet, loud, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = max(-loud, min(loud, x[i])) * (abs(x[i]) >= quiet)
""",
    "work-order: a list, the longest first": """
def work_order(rounds):
    return sorted(range(len(rounds)), key=lambda cell: -rounds[cell])
""",
}

# the points, and the answer
PARTLY = {
    "predictions: right for 32 lanes": (
        2.25,
        """
predicted = {
    "A": {32: "11111111"},
    "B": {32: "000aaaaa"},
    "C": {32: "00055555"},
    "D": {32: "fff00000", 64: "00000000fff00000"},
    "E": {32: "88888888"},
    "F": {32: "0000007f", 64: "000000000000007f"},
}
""",
    ),
    "predictions: half of them": (
        1.5,
        """
predicted = {"A": {32: "0x11111111"}, "B": {32: "000AAAAA"}, "C": {32: 0x55555}, "D": {32: "fff0 0000"}}
""",
    ),
}
