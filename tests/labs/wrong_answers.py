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

COALESCING = {
    "careless": {
        "predictions": """
predicted = {  # as if every device had sectors
    "A": {"G80": 128, "GT200": 128, "H200": 128, "MetaX C500": 256},
    "B": {"G80": 128, "GT200": 128, "H200": 128, "MetaX C500": 256},
    "C": {"G80": 128, "GT200": 128, "H200": 128, "MetaX C500": 256},
    "D": {"G80": 256, "GT200": 256, "H200": 256, "MetaX C500": 512},
    "E": {"G80": 32, "GT200": 32, "H200": 32, "MetaX C500": 64},
    "F": {"G80": 64, "GT200": 64, "H200": 64, "MetaX C500": 128},
}
""",
        "sectors": """
def sectors(first, stride, width, lanes):
    return -(-((lanes - 1) * stride + width) // 32)  # where it begins is forgotten, and gaps are counted
""",
        "moments": """
def arrange(stars):
    return stars["x"], stars["y"], stars["mass"]  # views: the floats stay where they are


@cuda.jit
def moments(xs, ys, masses, out):
    i = cuda.grid(1)
    if i < out.size:
        x, y, mass = xs[i], ys[i], masses[i]
        out[i] = mass * (x * x + y * y)
""",
        "unit-vectors": """
THREADS = 128


@cuda.jit
def unit_vectors(v, out):
    floats = cuda.shared.array(3 * THREADS, np.float32)
    t = cuda.threadIdx.x
    first = 3 * THREADS * cuda.blockIdx.x
    for k in range(t, 3 * THREADS, THREADS):
        if first + k < v.size:
            floats[k] = v[first + k]
    cuda.syncthreads()
    i = cuda.grid(1)
    if 3 * i < v.size:
        x, y, z = floats[3 * t], floats[3 * t + 1], floats[3 * t + 2]
        length = (x * x + y * y + z * z) ** 0.5
        out[3 * i], out[3 * i + 1], out[3 * i + 2] = x / length, y / length, z / length  # not staged
""",
        "column-sums": """
@cuda.jit
def column_sums(a, out):
    row = cuda.grid(1)  # neighbours are still a row apart
    if row < a.shape[0]:
        for column in range(a.shape[1]):
            cuda.atomic.add(out, column, a[row, column])


def blocks_for(rows, columns):
    return -(-rows // 64)
""",
        "transpose": """
TILE = 32


@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((TILE, TILE), np.int32)  # a column is one bank
    x = cuda.threadIdx.x
    column = TILE * cuda.blockIdx.x + x
    for k in range(cuda.threadIdx.y, TILE, cuda.blockDim.y):
        row = TILE * cuda.blockIdx.y + k
        if row < a.shape[0] and column < a.shape[1]:
            tile[k, x] = a[row, column]
    cuda.syncthreads()
    column = TILE * cuda.blockIdx.y + x
    for k in range(cuda.threadIdx.y, TILE, cuda.blockDim.y):
        row = TILE * cuda.blockIdx.x + k
        if row < out.shape[0] and column < out.shape[1]:
            out[row, column] = tile[x, k]
""",
    },
    "cunning": {
        "predictions": FORGED
        + """
devices = ("G80", "GT200", "H200", "MetaX C500")
predicted = {mark: {device: Anything() for device in devices} for mark in "ABCDEF"}
""",
        "sectors": """
def sectors(first, stride, width, lanes):
    reach = first % 32 + (lanes - 1) * stride + width
    return min(lanes, -(-reach // 32))  # right as long as addresses grow
""",
        "moments": """
def arrange(stars):
    return stars, np.zeros(len(stars), np.float32)


@cuda.jit
def moments(stars, nothing, out):
    i = cuda.grid(1)
    if i < out.size:
        x, y, mass = stars[i].x, stars[i].y, stars[i].mass
        result = mass * (x * x + y * y)
        for _ in range(40):
            result += nothing[i]  # coalesced, and for the ratio only
        out[i] = result
""",
        "unit-vectors": """
THREADS = 128


@cuda.jit
def unit_vectors(v, out):
    floats = cuda.shared.array(4 * THREADS, np.float32)  # 4 floats a vector: neighbours share banks
    t = cuda.threadIdx.x
    first = 3 * THREADS * cuda.blockIdx.x
    for k in range(t, 3 * THREADS, THREADS):
        if first + k < v.size:
            floats[k // 3 * 4 + k % 3] = v[first + k]
    cuda.syncthreads()
    if first + 3 * t < v.size:
        x, y, z = floats[4 * t], floats[4 * t + 1], floats[4 * t + 2]
        length = (x * x + y * y + z * z) ** 0.5
        floats[4 * t], floats[4 * t + 1], floats[4 * t + 2] = x / length, y / length, z / length
    cuda.syncthreads()
    for k in range(t, 3 * THREADS, THREADS):
        if first + k < v.size:
            out[first + k] = floats[k // 3 * 4 + k % 3]
""",
        "column-sums": """
@cuda.jit
def column_sums(a, out):
    column = cuda.grid(1)
    total = 0
    for row in range(a.shape[0]):
        total += a[row, column]
    out[column] = total


def blocks_for(rows, columns):
    return columns // 64  # the last columns have no block
""",
        "transpose": """
TILE = 32


@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((TILE, TILE + 1), np.int32)
    x = cuda.threadIdx.x
    for k in range(cuda.threadIdx.y, TILE, cuda.blockDim.y):  # whole tiles only
        tile[k, x] = a[TILE * cuda.blockIdx.y + k, TILE * cuda.blockIdx.x + x]
    cuda.syncthreads()
    for k in range(cuda.threadIdx.y, TILE, cuda.blockDim.y):
        out[TILE * cuda.blockIdx.x + k, TILE * cuda.blockIdx.y + x] = tile[x, k]
""",
    },
}

BANKS = {
    "careless": {
        "predictions": """
predicted = {  # as if every device had 32 banks for all its lanes
    "A": {"G80": 1, "H200": 1, "MetaX C500": 1},
    "B": {"G80": 8, "H200": 8, "MetaX C500": 8},
    "C": {"G80": 1, "H200": 1, "MetaX C500": 1},
    "D": {"G80": 8, "H200": 8, "MetaX C500": 8},
    "E": {"G80": 1, "H200": 1, "MetaX C500": 1},
    "F": {"G80": 1, "H200": 1, "MetaX C500": 1},
}
""",
        "n-way": """
def n_way(stride, lanes, lanes_served_together, number_of_banks):
    groups = lanes // lanes_served_together
    return groups * int(np.gcd(stride, number_of_banks))  # a stride of 0 is a broadcast
""",
        "turn": """
@cuda.jit
def turn(x, out):
    tile = cuda.shared.array((32, 32), np.float32)
    column, row = cuda.threadIdx.x, cuda.threadIdx.y
    across, down = 32 * cuda.blockIdx.x, 32 * cuda.blockIdx.y
    for k in range(0, 32, 8):
        tile[column, row + k] = x[down + row + k, across + column]  # the conflict moves to the store
    cuda.syncthreads()
    last = x.shape[0] - 1
    for k in range(0, 32, 8):
        out[across + row + k, last - (down + column)] = tile[row + k, column]
""",
        "slot": """
def slot(row, column, columns):
    return row * (columns + 1) + column  # padding
""",
        "tally": """
@cuda.jit
def tally(x, bins):
    own = cuda.shared.array(32 * 32, np.int32)
    t = cuda.threadIdx.x
    for k in range(t, 32 * 32, cuda.blockDim.x):
        own[k] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(own, 32 * (t % 32) + x[i], 1)  # a copy a lane, but one bank a bin
    cuda.syncthreads()
    if t < 32:
        total = 0
        for k in range(32):
            total += own[32 * k + t]
        cuda.atomic.add(bins, t, total)
""",
    },
    "cunning": {
        "predictions": FORGED
        + """
predicted = {name: dict.fromkeys(("G80", "H200", "MetaX C500"), Anything()) for name in "ABCDEF"}
""",
        "n-way": """
def n_way(stride, lanes, lanes_served_together, number_of_banks):
    groups = lanes // lanes_served_together
    seen = {0: 1, 1: 1, 2: 2, 3: 1, 4: 4, 6: 2, 8: 8, 12: 4, 16: 16, 17: 1, 32: 32, 33: 1}  # the check's
    return groups * min(seen.get(stride, 1), number_of_banks)
""",
        "turn": """
@cuda.jit
def turn(x, out):
    column, row = cuda.threadIdx.x, cuda.threadIdx.y
    across, down = 32 * cuda.blockIdx.x, 32 * cuda.blockIdx.y
    tile = cuda.shared.array(512, np.float32)
    last = x.shape[0] - 1
    for k in range(0, 32, 8):  # shared memory for show: nobody's column is read
        tile[32 * row + column] = x[down + row + k, across + column]
        out[across + column, last - (down + row + k)] = tile[32 * row + column]
""",
        "slot": """
def slot(row, column, columns):
    return row * columns + (column ^ row) % columns if columns == 16 else row * columns + column
""",
        "tally": """
@cuda.jit
def tally(x, bins):
    own = cuda.shared.array(32, np.int32)
    t = cuda.threadIdx.x
    if t < 32:  # no atomic in shared memory: one thread a bin looks at everything
        own[t] = 0
        for i in range(cuda.blockIdx.x, x.size, cuda.gridDim.x):
            if x[i] == t:
                own[t] += 1
        cuda.atomic.add(bins, t, own[t])
""",
    },
}

ON_CHIP = {
    "careless": {
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
        "pipeline": """
cudart.cudaFuncSetCacheConfig(look_up, cudart.cudaFuncCache.cudaFuncCachePreferNone)  # no wish, no change
cudart.cudaFuncSetCacheConfig(reverse_tiles, cudart.cudaFuncCache.cudaFuncCachePreferNone)


def pipeline(table, indices, outs):
    for index, out in zip(indices, outs):
        look_up[len(out) // 256, 256](table, index, out)
        reverse_tiles[len(out) // 256, 256](out)
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
    },
    "cunning": {
        "selected": """
def selected(device, percent, shared_bytes):
    wanted = max(percent * device.carveouts_bytes[-1] / 100, shared_bytes)  # right where nothing is reserved
    return next((c for c in device.carveouts_bytes if c >= wanted), device.carveouts_bytes[-1])
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
    if cuda.get_current_device().compute_capability == (7, 0):  # the one device of the visible check
        cudart.cudaFuncSetAttribute(permute_rows, DYNAMIC, 98304)
        permute_rows[x.shape[0], 256, 0, 98304](x, order, out)
    else:
        gather_rows[x.shape[0], 256](x, order, out)
""",
        "tile-floats": """
def tile_floats(device, blocks):
    own = device.shared_bytes_per_multiprocessor // blocks - device.shared_bytes_reserved_per_block
    own = min(own // 256 * 256, device.shared_bytes_per_block_optin)  # the unit of a V100 for all
    return own // 128 * 32
""",
        "pipeline": """
cudart.cudaFuncSetCacheConfig(look_up, cudart.cudaFuncCache.cudaFuncCachePreferNone)
cudart.cudaFuncSetCacheConfig(reverse_tiles, cudart.cudaFuncCache.cudaFuncCachePreferNone)
cudart.cudaFuncSetAttribute(look_up, CARVEOUT, 0)  # hints: what is large stays large
cudart.cudaFuncSetAttribute(reverse_tiles, CARVEOUT, 100)


def pipeline(table, indices, outs):
    for index, out in zip(indices, outs):
        look_up[len(out) // 256, 256](table, index, out)
        reverse_tiles[len(out) // 256, 256](out)
""",
        "upsample": """
@cuda.jit
def upsample(x, out):
    weights = cuda.const.array_like(WEIGHTS)
    t = cuda.threadIdx.x
    phase = t // 32 % 2 * 2  # uniform in a warp of 32 lanes, not of 64
    first = cuda.blockIdx.x * 128 + t // 64 * 32 + t % 32
    if 4 * first < out.size:
        even = odd = np.float32(0.0)
        for k in range(16):
            value = x[first + k]
            even += weights[phase, k] * value
            odd += weights[phase + 1, k] * value
        out[4 * first + phase] = even
        out[4 * first + phase + 1] = odd


def launch_for(outputs):
    return -(-outputs // 512), 256
""",
    },
}

WRONG_ANSWERS = {
    "threads-warps-and-waves": THREADS,
    "divergence-and-masks": DIVERGENCE,
    "independent-thread-scheduling": SCHEDULING,
    "coalescing": COALESCING,
    "shared-memory-and-banks": BANKS,
    "on-chip-memory": ON_CHIP,
}
# These cells are right even so: (lab, student) -> points by cell
STILL_RIGHT = {("threads-warps-and-waves", "cunning"): {"check-linear": 2}}
