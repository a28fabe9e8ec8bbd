"""divergence-and-masks: wrong answers."""

ANSWERS = {
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
