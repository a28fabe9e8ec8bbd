"""independent-thread-scheduling: wrong answers."""

ANSWERS = {
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
def above(data, threshold, place):
    lane = cuda.laneid
    below = (1 << lane) - 1
    before = 0
    for i in range(lane, data.size, cuda.warpsize):
        here = cuda.activemask()
        cuda.syncwarp(here)  # those who are here wait for those who are here
        bits = cuda.ballot_sync(here, data[i] > threshold)
        if data[i] > threshold:
            place[i] = before + cuda.popc(bits & below)
        before += cuda.popc(bits)
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
    "pay-in: with break": """
@cuda.jit
def pay_in(amounts, lock, balance, entries, statements):
    i = cuda.grid(1)
    while True:
        if cuda.atomic.cas(lock, 0, 0, 1) == 0:
            cuda.threadfence()
            balance[0] += amounts[i]
            statements[entries[0]] = balance[0]
            entries[0] += 1
            cuda.threadfence()
            cuda.atomic.exch(lock, 0, 0)
            break  # the stack runs what leaves the loop when all others have left it
""",
}
