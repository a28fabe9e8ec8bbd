"""independent-thread-scheduling: what may students write? Wrong, by a cheat, right in another form."""

from tests.labs.answers.forged import FORGED

WRONG = {
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
@cuda.jit(device=True)
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
    "predictions: not filled in": """
predicted = {"a": {"stack": "Livelock"}}
""",
    "predictions: no such word": """
predicted = {name: {"stack": "finish", "independent": "finish"} for name in "abcde"}
""",
}

CHEATS = {
    "predictions": FORGED
    + """
predicted = {name: {"stack": Anything(), "independent": Anything()} for name in "abcde"}
""",
    "above": """
@cuda.jit(device=True)
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
    "above: the full mask, as lanes that left are gone": """
@cuda.jit(device=True)
def above(data, threshold, packed):
    lane = cuda.laneid
    for i in range(lane, data.size, cuda.warpsize):
        bits = cuda.ballot_sync(ALL, data[i] > threshold)
        if lane == 0:
            packed[i // cuda.warpsize] = bits
""",
    "running-sums: a barrier inside of the if": """
@cuda.jit
def running_sums(x, out):
    s = cuda.shared.array(1024, np.int32)
    t = cuda.threadIdx.x
    lane = cuda.laneid
    s[t] = x[t]
    distance = 1
    while distance < cuda.warpsize:
        cuda.syncwarp()
        if lane >= distance:
            below = s[t - distance]
            cuda.syncwarp()
            s[t] += below
        else:
            cuda.syncwarp()
        distance *= 2
    out[t] = s[t]
""",
    "pay-in: without fences": """
@cuda.jit
def pay_in(amounts, lock, balance, entries, statements):
    i = cuda.grid(1)
    waiting = True
    while waiting:
        if cuda.atomic.cas(lock, 0, 0, 1) == 0:
            balance[0] += amounts[i]
            statements[entries[0]] = balance[0]
            entries[0] += 1
            cuda.atomic.exch(lock, 0, 0)
            waiting = False
""",
    "pay-in: with the first fence only": """
@cuda.jit
def pay_in(amounts, lock, balance, entries, statements):
    i = cuda.grid(1)
    waiting = True
    while waiting:
        if cuda.atomic.cas(lock, 0, 0, 1) == 0:
            cuda.threadfence()
            balance[0] += amounts[i]
            statements[entries[0]] = balance[0]
            entries[0] += 1
            cuda.atomic.exch(lock, 0, 0)
            waiting = False
""",
    "predictions: other kernels": """
@cuda.jit
def a(flag, out):
    out[cuda.threadIdx.x] = 1


b = c = d = e = a
predicted = {name: {"stack": "finishes", "independent": "finishes"} for name in "abcde"}
""",
    "above: atomics instead of votes": """
@cuda.jit(device=True)
def above(data, threshold, packed):
    for i in range(cuda.laneid, data.size, cuda.warpsize):
        cuda.atomic.add(packed, i // cuda.warpsize, (data[i] > threshold) << (i % cuda.warpsize))
""",
    "running-sums: every lane adds up alone": """
@cuda.jit
def running_sums(x, out):
    t = cuda.threadIdx.x
    total = 0
    for k in range(t - cuda.laneid, t + 1):
        total += x[k]
    out[t] = total
""",
    "running-sums: one lane adds up": """
@cuda.jit
def running_sums(x, out):
    t = cuda.threadIdx.x
    if cuda.laneid == 0:
        total = 0
        for k in range(cuda.warpsize):
            total += x[t + k]
            out[t + k] = total
""",
    "pay-in: one thread pays for all": """
@cuda.jit
def pay_in(amounts, lock, balance, entries, statements):
    if cuda.grid(1) == 0:
        for i in range(amounts.size):
            balance[0] += amounts[i]
            statements[i] = balance[0]
            entries[0] += 1
""",
    "spread-of-warp: through global memory": """
@cuda.jit
def spread_of_warp(x, out):
    t = cuda.threadIdx.x
    low = x[t]
    high = x[t]
    lanes = cuda.warpsize // 2
    while lanes > 0:
        cuda.syncwarp()
        out[t] = low
        cuda.syncwarp()
        low = min(low, out[t ^ lanes])
        cuda.syncwarp()
        out[t] = high
        cuda.syncwarp()
        high = max(high, out[t ^ lanes])
        lanes //= 2
    cuda.syncwarp()
    out[t] = high - low
""",
}

RIGHT = {
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
def above(data, threshold, packed):
    for word in range(packed.size):
        i = word * cuda.warpsize + cuda.laneid
        bits = cuda.ballot_sync(ALL, i < data.size and data[i] > threshold)
        if cuda.laneid == 0:
            packed[word] = bits
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

# the points, and the answer
PARTLY = {
    "predictions: seven of ten": (
        1.0,
        """
predicted = {
    "a": {"stack": "Livelock", "independent": "finishes"},
    "b": {"stack": "finishes", "independent": "finishes"},
    "c": {"stack": "finishes", "independent": "finishes"},
    "d": {"stack": "finishes", "independent": "finishes"},
    "e": {"stack": "Deadlock", "independent": "Deadlock"},
}
""",
    ),
}
