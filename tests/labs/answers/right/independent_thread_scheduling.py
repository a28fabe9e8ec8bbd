"""independent-thread-scheduling: right answers in other forms."""

ANSWERS = {
    "predictions: upper and lower case": """
predicted = {
    "a": {"stack": "livelock", "independent": "Finishes"},
    "b": {"stack": "invalidmask", "independent": "finishes"},
    "c": {"stack": "finishes", "independent": "DEADLOCK"},
    "d": {"stack": "finishes", "independent": "finishes"},
    "e": {"stack": "InvalidMask", "independent": "Deadlock "},
}
""",
    "above: zeros beyond the end": """
@cuda.jit(device=True)
def above(data, threshold, place):
    lane = cuda.laneid
    below = (1 << lane) - 1
    before = 0
    for first in range(0, data.size, cuda.warpsize):
        i = first + lane
        mine = i < data.size and data[i] > threshold
        bits = cuda.ballot_sync(ALL, mine)
        if mine:
            place[i] = before + cuda.popc(bits & below)
        before += cuda.popc(bits)
""",
    "running-sums: shuffles": """
@cuda.jit
def running_sums(x, out):
    t = cuda.threadIdx.x
    total = x[t]
    distance = 1
    while distance < cuda.warpsize:
        below = cuda.shfl_up_sync(ALL, total, distance)
        if cuda.laneid >= distance:
            total += below
        distance *= 2
    out[t] = total
""",
    "pay-in: another atomic": """
@cuda.jit
def pay_in(amounts, lock, balance, entries, statements):
    i = cuda.grid(1)
    mine = 0
    while mine == 0:
        if cuda.atomic.compare_and_swap(lock, 0, 1) == 0:
            cuda.threadfence()
            new = balance[0] + amounts[i]
            balance[0] = new
            statements[entries[0]] = new
            entries[0] += 1
            cuda.threadfence()
            cuda.atomic.exch(lock, 0, 0)
            mine = 1
""",
    "spread-of-warp: with if": """
@cuda.jit
def spread_of_warp(x, out):
    t = cuda.threadIdx.x
    low = x[t]
    high = x[t]
    lanes = cuda.warpsize // 2
    while lanes > 0:
        a = cuda.shfl_xor_sync(ALL, low, lanes)
        b = cuda.shfl_xor_sync(ALL, high, lanes)
        if a < low:
            low = a
        if b > high:
            high = b
        lanes //= 2
    out[t] = high - low
""",
}
ANSWERS |= {
    "above: padded in whole rounds": """
@cuda.jit(device=True)
def above(data, threshold, place):
    lane = cuda.laneid
    below = (1 << lane) - 1
    before = 0
    rounds = (data.size + cuda.warpsize - 1) // cuda.warpsize
    for turn in range(rounds):
        i = turn * cuda.warpsize + lane
        mine = data[i] > threshold if i < data.size else False
        bits = cuda.ballot_sync(ALL, mine)
        if mine:
            place[i] = before + cuda.popc(bits & below)
        before += cuda.popc(bits)
""",
    "above: sums by shuffles": """
@cuda.jit(device=True)
def above(data, threshold, place):
    before = 0
    for first in range(0, data.size, cuda.warpsize):
        i = first + cuda.laneid
        mine = 1 if i < data.size and data[i] > threshold else 0
        total = mine
        distance = 1
        while distance < cuda.warpsize:
            other = cuda.shfl_up_sync(ALL, total, distance)
            if cuda.laneid >= distance:
                total += other
            distance *= 2
        if mine:
            place[i] = before + total - 1
        before += cuda.shfl_sync(ALL, total, cuda.warpsize - 1)
""",
    "above: the vote of the last round names its lanes": """
@cuda.jit(device=True)
def above(data, threshold, place):
    lane = cuda.laneid
    below = (1 << lane) - 1
    before = 0
    i = lane
    mask = cuda.ballot_sync(ALL, i < data.size)
    while i < data.size:
        bits = cuda.ballot_sync(mask, data[i] > threshold)
        if data[i] > threshold:
            place[i] = before + cuda.popc(bits & below)
        before += cuda.popc(bits)
        i += cuda.warpsize
        mask = cuda.ballot_sync(mask, i < data.size)
""",
    "running-sums: two arrays in turn": """
@cuda.jit
def running_sums(x, out):
    s = cuda.shared.array((2, 1024), np.int32)
    t, lane = cuda.threadIdx.x, cuda.laneid
    now = 0
    s[0, t] = x[t]
    cuda.syncwarp()
    distance = 1
    while distance < cuda.warpsize:
        value = s[now, t]
        if lane >= distance:
            value += s[now, t - distance]
        now = 1 - now
        s[now, t] = value
        cuda.syncwarp()
        distance *= 2
    out[t] = s[now, t]
""",
    "running-sums: barriers with a mask": """
@cuda.jit
def running_sums(x, out):
    s = cuda.shared.array(1024, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    for k in range(6):
        distance = 1 << k
        if distance < cuda.warpsize:
            cuda.syncwarp(ALL)
            below = s[t - distance] if cuda.laneid >= distance else 0
            cuda.syncwarp(ALL)
            s[t] = s[t] + below
    out[t] = s[t]
""",
    "pay-in: an exchange takes, a subtraction gives": """
@cuda.jit
def pay_in(amounts, lock, balance, entries, statements):
    mine = amounts[cuda.grid(1)]
    paid = False
    while not paid:
        if cuda.atomic.exch(lock, 0, 1) == 0:
            cuda.threadfence()
            entry = entries[0]
            balance[0] = balance[0] + mine
            statements[entry] = balance[0]
            entries[0] = entry + 1
            cuda.threadfence()
            cuda.atomic.sub(lock, 0, 1)
            paid = True
""",
    "spread-of-warp: down, and to all": """
@cuda.jit
def spread_of_warp(x, out):
    t = cuda.threadIdx.x
    low = high = x[t]
    step = cuda.warpsize >> 1
    while step:
        low = min(low, cuda.shfl_down_sync(ALL, low, step))
        high = max(high, cuda.shfl_down_sync(ALL, high, step))
        step >>= 1
    out[t] = cuda.shfl_sync(ALL, high - low, 0)
""",
    "spread-of-warp: small steps first": """
@cuda.jit
def spread_of_warp(x, out):
    t = cuda.threadIdx.x
    low = high = x[t]
    step = 1
    while step < cuda.warpsize:
        other = cuda.shfl_xor_sync(ALL, low, step)
        low = other if other < low else low
        other = cuda.shfl_xor_sync(ALL, high, step)
        high = other if other > high else high
        step *= 2
    out[t] = high - low
""",
}
