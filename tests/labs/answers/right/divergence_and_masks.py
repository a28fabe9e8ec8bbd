"""divergence-and-masks: right answers in other forms."""

ANSWERS = {
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
ANSWERS |= {
    "hex-mask: a string of bits": """
def hex_mask(active):
    bits = "".join("1" if lane else "0" for lane in reversed(active))
    return f"{int(bits, 2):X}"
""",
    "efficiency: a fraction": """
from fractions import Fraction


def efficiency(steps, lanes):
    used = sum(Fraction(int(mask, 16).bit_count() * count, lanes) for mask, count in steps)
    return used / sum(count for _, count in steps)
""",
    "two-filters: the side first": """
@cuda.jit
def two_filters(x, rounds, out):
    half = cuda.blockDim.x // 2
    side, place = divmod(cuda.threadIdx.x, half)
    i = cuda.blockIdx.x * cuda.blockDim.x + 2 * place + 1 - side
    if i >= x.size:
        return
    value = x[i]
    for _ in range(rounds):
        if side == 1:
            value = value * value % 1009
            value = value * (value + 5) % 1013
        else:
            value = (75 * value + 74) % 65537
            value = (33 * value + 7) % 32749
    out[i] = value
""",
    "gate-noise: a choice with a conversion": """
@cuda.jit
def gate_noise(x, quiet, loud, out):
    i = cuda.grid(1)
    if i < x.size:
        value = x[i]
        out[i] = np.float32(0) if abs(value) < quiet else max(min(value, loud), -loud)
""",
    "gate-noise: choices of choices": """
@cuda.jit
def gate_noise(x, quiet, loud, out):
    i = cuda.grid(1)
    if i >= x.size:
        return
    value = x[i]
    size = abs(value)
    value = loud * (1 if value > 0 else -1) if size > loud else value
    out[i] = 0 if size < quiet else value
""",
    "work-order: by NumPy, from the longest": """
def work_order(rounds):
    return np.lexsort((np.arange(len(rounds)), -rounds)).astype(np.int32)
""",
}
