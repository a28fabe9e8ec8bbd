"""independent-thread-scheduling: cheats."""

from tests.labs.answers.forged import FORGED

ANSWERS = {
    "predictions": FORGED
    + """
predicted = {name: {"stack": Anything(), "independent": Anything()} for name in "abcde"}
""",
    "above": """
@cuda.jit(device=True)
def above(data, threshold, place):
    before = 0
    if cuda.laneid == 0:  # one lane does it all: no order to go wrong
        for i in range(data.size):
            if data[i] > threshold:
                place[i] = before
                before += 1
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
def above(data, threshold, place):
    lane = cuda.laneid
    below = (1 << lane) - 1
    before = 0
    for i in range(lane, data.size, cuda.warpsize):
        bits = cuda.ballot_sync(ALL, data[i] > threshold)
        if data[i] > threshold:
            place[i] = before + cuda.popc(bits & below)
        before += cuda.popc(bits)
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
def above(data, threshold, place):
    for i in range(cuda.laneid, data.size, cuda.warpsize):
        if data[i] > threshold:
            place[i] = cuda.atomic.add(place, data.size - 1, 1) + 1
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
ANSWERS |= {
    "above: three lanes, a round each": """
@cuda.jit(device=True)
def above(data, threshold, place):
    if cuda.laneid < 3:
        before = 0
        for i in range(data.size):
            if data[i] > threshold:
                if i // cuda.warpsize == cuda.laneid:
                    place[i] = before
                before += 1
""",
    "above: every lane counts all before its own": """
@cuda.jit(device=True)
def above(data, threshold, place):
    for i in range(cuda.laneid, data.size, cuda.warpsize):
        if data[i] > threshold:
            before = 0
            for k in range(i):
                if data[k] > threshold:
                    before += 1
            place[i] = before
""",
    "above: lucky in the friendly order": """
@cuda.jit(device=True)
def above(data, threshold, place):
    lane = cuda.laneid
    below = (1 << lane) - 1
    before = 0
    for i in range(lane, data.size, cuda.warpsize):
        cuda.syncwarp(cuda.activemask())
        bits = cuda.ballot_sync(cuda.activemask(), data[i] > threshold)
        if data[i] > threshold:
            place[i] = before + cuda.popc(bits & below)
        before += cuda.popc(bits)
""",
    "above: a barrier of the block": """
@cuda.jit(device=True)
def above(data, threshold, place):
    lane = cuda.laneid
    below = (1 << lane) - 1
    before = 0
    for i in range(lane, data.size, cuda.warpsize):
        cuda.syncthreads()
        bits = cuda.ballot_sync(cuda.activemask(), data[i] > threshold)
        if data[i] > threshold:
            place[i] = before + cuda.popc(bits & below)
        before += cuda.popc(bits)
""",
    "running-sums: fences instead of barriers": """
@cuda.jit
def running_sums(x, out):
    s = cuda.shared.array(1024, np.int32)
    t, lane = cuda.threadIdx.x, cuda.laneid
    s[t] = x[t]
    distance = 1
    while distance < cuda.warpsize:
        cuda.threadfence_block()
        below = s[t - distance] if lane >= distance else 0
        cuda.threadfence_block()
        s[t] += below
        distance *= 2
    out[t] = s[t]
""",
    "running-sums: 32 lanes only": """
@cuda.jit
def running_sums(x, out):
    t = cuda.threadIdx.x
    total = x[t]
    for k in range(5):
        below = cuda.shfl_up_sync(ALL, total, 1 << k)
        if cuda.laneid >= 1 << k:
            total += below
    out[t] = total
""",
    "pay-in: one thread pays for all, atomics for show": """
@cuda.jit
def pay_in(amounts, lock, balance, entries, statements):
    i = cuda.grid(1)
    cuda.atomic.add(lock, 0, 1)
    cuda.atomic.sub(lock, 0, 1)
    if i == 0:
        for k in range(amounts.size):
            balance[0] += amounts[k]
            statements[k] = balance[0]
            entries[0] += 1
""",
    "pay-in: the first of each block pays": """
@cuda.jit
def pay_in(amounts, lock, balance, entries, statements):
    first = cuda.blockIdx.x * cuda.blockDim.x
    cuda.atomic.add(lock, 0, 0)
    if cuda.threadIdx.x == 0:
        waiting = True
        while waiting:
            if cuda.atomic.cas(lock, 0, 0, 1) == 0:
                cuda.threadfence()
                for k in range(cuda.blockDim.x):
                    cuda.atomic.add(balance, 0, 0)
                    balance[0] += amounts[first + k]
                    statements[entries[0]] = balance[0]
                    entries[0] += 1
                cuda.threadfence()
                cuda.atomic.exch(lock, 0, 0)
                waiting = False
""",
    "pay-in: in the order of the threads": """
@cuda.jit
def pay_in(amounts, lock, balance, entries, statements):
    i = cuda.grid(1)
    while cuda.atomic.add(entries, 0, 0) != i:
        cuda.atomic.add(lock, 0, 0)
    balance[0] += amounts[i]
    statements[i] = balance[0]
    cuda.threadfence()
    cuda.atomic.add(entries, 0, 1)
""",
    "pay-in: with the second fence only": """
@cuda.jit
def pay_in(amounts, lock, balance, entries, statements):
    i = cuda.grid(1)
    waiting = True
    while waiting:
        if cuda.atomic.cas(lock, 0, 0, 1) == 0:
            balance[0] += amounts[i]
            statements[entries[0]] = balance[0]
            entries[0] += 1
            cuda.threadfence()
            cuda.atomic.exch(lock, 0, 0)
            waiting = False
""",
    "spread-of-warp: every lane asks every lane": """
@cuda.jit
def spread_of_warp(x, out):
    t = cuda.threadIdx.x
    low = high = x[t]
    for k in range(cuda.warpsize):
        other = cuda.shfl_sync(ALL, x[t], k)
        low, high = min(low, other), max(high, other)
    out[t] = high - low
""",
    "spread-of-warp: a neighbour after the other": """
@cuda.jit
def spread_of_warp(x, out):
    t = cuda.threadIdx.x
    low = high = x[t]
    for k in range(cuda.warpsize - 1):
        low = min(low, cuda.shfl_xor_sync(ALL, low, 1 << (k % 5)))
        high = max(high, cuda.shfl_xor_sync(ALL, high, 1 << (k % 5)))
    out[t] = high - low
""",
}
