"""Which answers must not pass? For each lab what two students wrote into its cells, by cell.

The careless one makes the usual mistakes. The cunning one fits the checks that students see, or forges.
"""

FORGED = """
class Anything:
    def __eq__(self, other):
        return True

    def __lt__(self, other):
        return True

    __hash__, __le__, __gt__, __ge__ = None, __lt__, __lt__, __lt__
"""

THREADS = {
    "careless": {
        "find-place": """
@cuda.jit
def find_place(linear, warp, lane):
    x, y, z = cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
    linear[z, y, x] = z + cuda.blockDim.z * (y + cuda.blockDim.y * x)  # z fastest
    warp[z, y, x] = x // cuda.warpsize  # y and z forgotten
    lane[z, y, x] = x % cuda.warpsize
""",
        "count-warps": """
def count_warps(blocks, threads_per_block, lanes):
    warps = -(-blocks * threads_per_block // lanes)  # as if a warp could span blocks
    return warps, warps * lanes - blocks * threads_per_block
""",
        "calibrate": """
@cuda.jit
def calibrate(raw, gain, out):
    station = cuda.blockIdx.x
    sample = cuda.threadIdx.x
    while sample < raw.shape[1]:  # whole warps, but still a block for each station
        out[station, sample] = raw[station, sample] * gain[station]
        sample += cuda.blockDim.x


def launch_for(stations, samples):
    return stations, 128
""",
        "scale-all": """
@cuda.jit
def scale_all(factor, x, out):
    for i in range(cuda.grid(1), x.size, cuda.blockDim.x):  # elements computed once by every block before
        out[i] = factor * x[i]
""",
        "subtract-base": """
@cuda.jit
def subtract_base(x, table, out):
    i = cuda.grid(1)
    shared_base = cuda.shared.array(1, np.int64)
    if cuda.threadIdx.x == 0:
        base = 0
        for k in range(table.shape[1]):
            base += table[cuda.blockIdx.x, k]
        shared_base[0] = base
    out[i] = x[i] - shared_base[0]  # no barrier
""",
    },
    "cunning": {
        "find-place": """
@cuda.jit
def find_place(linear, warp, lane):
    x, y, z = cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
    number = x + cuda.blockDim.x * (y + cuda.blockDim.y * z)
    linear[z, y, x] = number
    warp[z, y, x] = number // cuda.warpsize
    lane[z, y, x] = cuda.laneid  # not by formula
""",
        "count-warps": FORGED
        + """
def count_warps(blocks, threads_per_block, lanes):
    return Anything(), Anything()
""",
        "calibrate": """
@cuda.jit
def calibrate(raw, gain, out):
    number = cuda.grid(1)
    if number < raw.size:
        station, sample = number // raw.shape[1], number % raw.shape[1]
        out[station, sample] = raw[station, sample] * gain[station]


def launch_for(stations, samples):
    return -(-stations * samples // 32), 32  # half of every wave of 64 is idle
""",
        "scale-all": """
@cuda.jit
def scale_all(factor, x, out):
    each = (x.size + cuda.gridsize(1) - 1) // cuda.gridsize(1)
    first = cuda.grid(1) * each  # every element once, but lanes are far apart
    for i in range(first, min(first + each, x.size)):
        out[i] = factor * x[i]
""",
        "subtract-base": """
@cuda.jit
def subtract_base(x, table, out):
    i = cuda.grid(1)
    shared_base = cuda.shared.array(1, np.int64)
    if cuda.threadIdx.x % cuda.warpsize == 0:  # once for each warp, not for each block
        base = 0
        for k in range(table.shape[1]):
            base += table[cuda.blockIdx.x, k]
        shared_base[0] = base
    cuda.syncthreads()
    out[i] = x[i] - shared_base[0]
""",
    },
}

DIVERGENCE = {
    "careless": {
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
def two_filters(x, out):
    i = cuda.grid(1)
    if i < x.size:
        value = x[i]
        if cuda.threadIdx.x < cuda.blockDim.x // 2:  # branches follow warps, elements do not
            for _ in range(12):
                value = value * value % 1009
                value = value * (value + 5) % 1013
        else:
            for _ in range(12):
                value = (75 * value + 74) % 65537
                value = (33 * value + 7) % 32749
        out[i] = value
""",
        "limit": """
@cuda.jit
def limit(x, low, high, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = max(min(x[i], low), high)  # the wrong way round
""",
        "work-order": """
def work_order(rounds):
    return np.sort(rounds)  # the rounds, not the cells
""",
    },
    "cunning": {
        "predictions": """
predicted = {  # right for 32 lanes, continued with zeros
    "A": {32: "11111111", 64: "0000000011111111"},
    "B": {32: "000aaaaa", 64: "00000000000aaaaa"},
    "C": {32: "00055555", 64: "0000000000055555"},
    "D": {32: "fff00000", 64: "00000000fff00000"},
    "E": {32: "88888888", 64: "0000000088888888"},
    "F": {32: "0000007f", 64: "000000000000007f"},
}
""",
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
def two_filters(x, out):
    i = cuda.grid(1)
    if i < x.size:
        even = x[i]
        odd = x[i]
        for _ in range(12):  # both sides for everybody
            even = even * even % 1009
            even = even * (even + 5) % 1013
            odd = (75 * odd + 74) % 65537
            odd = (33 * odd + 7) % 32749
        out[i] = even if i % 2 == 0 else odd
""",
        "limit": """
@cuda.jit
def limit(x, low, high, out):
    i = cuda.grid(1)
    if i < x.size:
        value = x[i]
        while value < low:  # an `if` by another name
            value = low
        while value > high:
            value = high
        out[i] = value
""",
        "work-order": """
def work_order(rounds):
    cells = np.arange(len(rounds))
    groups = np.array_split(cells, -(-len(cells) // 32))  # sorted within each warp only
    return np.concatenate([group[np.argsort(rounds[group])] for group in groups])
""",
    },
}

SCHEDULING = {
    "careless": {
        "predictions": """
predicted = {  # as if both models were one
    "a": {"stack": "finishes", "independent": "finishes"},
    "b": {"stack": "finishes", "independent": "finishes"},
    "c": {"stack": "finishes", "independent": "finishes"},
    "d": {"stack": "Deadlock", "independent": "Deadlock"},
    "e": {"stack": "Deadlock", "independent": "Deadlock"},
}
""",
        "above": """
@cuda.jit
def above(data, threshold, packed):
    lane = cuda.laneid
    for i in range(lane, data.size, cuda.warpsize):
        here = cuda.activemask()
        cuda.syncwarp(here)  # those who are here wait for those who are here
        bits = cuda.ballot_sync(here, data[i] > threshold)
        if lane == 0:
            packed[i // cuda.warpsize] = bits
""",
        "running-sums": """
@cuda.jit
def running_sums(x, out):
    s = cuda.shared.array(1024, np.int32)
    t = cuda.threadIdx.x
    lane = cuda.laneid
    s[t] = x[t]
    distance = 1
    while distance < cuda.warpsize:
        cuda.syncwarp()  # written before it is read, but not read before it is overwritten
        if lane >= distance:
            s[t] += s[t - distance]
        distance *= 2
    out[t] = s[t]
""",
        "pay-in": """
@cuda.jit
def pay_in(amounts, lock, balance, entries, statements):
    i = cuda.grid(1)
    waiting = True
    while waiting:
        if cuda.atomic.cas(lock, 0, 0, 1) == 0:
            balance[0] += amounts[i]
            cuda.atomic.exch(lock, 0, 0)  # given back too early
            statements[entries[0]] = balance[0]
            entries[0] += 1
            waiting = False
""",
        "spread-of-warp": """
@cuda.jit
def spread_of_warp(x, out):
    t = cuda.threadIdx.x
    low = x[t]
    high = x[t]
    lanes = cuda.warpsize // 2
    while lanes > 0:
        low = min(low, cuda.shfl_down_sync(ALL, low, lanes))  # only lane 0 sees everybody
        high = max(high, cuda.shfl_down_sync(ALL, high, lanes))
        lanes //= 2
    out[t] = high - low
""",
    },
    "cunning": {
        "predictions": FORGED
        + """
predicted = {name: {"stack": Anything(), "independent": Anything()} for name in "abcde"}
""",
        "above": """
@cuda.jit
def above(data, threshold, packed):
    if cuda.laneid == 0:  # one lane does it all: no order to go wrong
        for i in range(data.size):
            if data[i] > threshold:
                packed[i // cuda.warpsize] |= 1 << (i % cuda.warpsize)
""",
        "running-sums": """
@cuda.jit
def running_sums(x, out):
    s = cuda.shared.array(1024, np.int32)
    t = cuda.threadIdx.x
    lane = cuda.laneid
    s[t] = x[t]
    distance = 1
    while distance < cuda.warpsize:
        cuda.syncthreads()  # the whole block waits
        below = 0
        if lane >= distance:
            below = s[t - distance]
        cuda.syncthreads()
        s[t] += below
        distance *= 2
    out[t] = s[t]
""",
        "pay-in": """
@cuda.jit
def pay_in(amounts, lock, balance, entries, statements):
    i = cuda.grid(1)
    before = cuda.atomic.add(balance, 0, amounts[i])  # no lock: the two may come in different orders
    entry = cuda.atomic.add(entries, 0, 1)
    statements[entry] = before + amounts[i]
""",
        "spread-of-warp": """
@cuda.jit
def spread_of_warp(x, out):
    t = cuda.threadIdx.x
    low = x[t]
    high = x[t]
    lanes = 16  # 32 lanes, and no more
    while lanes > 0:
        low = min(low, cuda.shfl_xor_sync(ALL, low, lanes))
        high = max(high, cuda.shfl_xor_sync(ALL, high, lanes))
        lanes //= 2
    out[t] = high - low
""",
    },
}

WRONG_ANSWERS = {
    "threads-warps-and-waves": THREADS,
    "divergence-and-masks": DIVERGENCE,
    "independent-thread-scheduling": SCHEDULING,
}
# These cells are right even so: (lab, student) -> points by cell
STILL_RIGHT = {("threads-warps-and-waves", "cunning"): {"check-linear": 2}}
