"""synchronisation: cheats."""

from tests.labs.answers.forged import FORGED

ANSWERS = {
    "predictions": FORGED
    + """
predicted = {
    "streams": {name: Anything() for name in "abcdef"},
    "kernels": {name: Anything() for name in "ghij"},
}
""",
    "pipeline: the host computes": """
def pipeline(pieces, results):
    x, out = cuda.device_array(8, np.int32), cuda.device_array(8, np.int32)
    triple[1, 8](x, out)
    cuda.synchronize()
    for piece, result in zip(pieces, results):
        result[:] = 3 * piece
""",
    "pipeline: the checks' kernel is another": """
def pipeline(pieces, results):
    for piece, result in zip(pieces, results):
        result[:] = 3 * piece


def copies_that_overlap(streams):
    return 99
""",
    "queue: a barrier at every value": """
@cuda.jit
def queue(x, out):
    ring = cuda.shared.array(4, np.int32)
    t = cuda.threadIdx.x
    for k in range(x.size):
        if t == 0:
            ring[k % 4] = x[k]
        cuda.syncthreads()
        if t == cuda.warpsize:
            out[k] = ring[k % 4]
        cuda.syncthreads()
""",
    "queue: the consumer takes x, and goes through the motions": """
@cuda.jit
def queue(x, out):
    ring = cuda.shared.array(4, np.int32)
    count = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    if t == cuda.warpsize:
        count[0] = 0
        for k in range(x.size):
            ring[k % 4] = x[k]
            cuda.atomic.add(count, 0, 1)
            cuda.atomic.add(count, 0, 1)
            out[k] = ring[k % 4]
""",
    "total-of: one block does all parts": """
@cuda.jit
def total_of(x, partial, arrived, total):
    if cuda.threadIdx.x == 0:
        cuda.atomic.exch(arrived, 0, 0)
    if cuda.grid(1) == 0:
        found = 0
        for b in range(cuda.gridDim.x):
            part = 0
            for k in range(cuda.blockDim.x):
                part += x[b * cuda.blockDim.x + k]
            partial[b] = part
            found += part
        total[0] = found
""",
    "queue: the consumer reads x itself": """
@cuda.jit
def queue(x, out):
    if cuda.threadIdx.x == cuda.warpsize:
        for k in range(x.size):
            out[k] = x[k]
""",
    "total-of: atomics add up": """
@cuda.jit
def total_of(x, partial, arrived, total):
    if cuda.grid(1) == 0:
        found = 0
        for k in range(x.size):
            found += x[k]
        total[0] = found
""",
}
ANSWERS |= {
    "predictions: the check's own programs are asked": """
predicted = {
    "streams": dict.fromkeys("abcdef", ["ordered", "not"]),
    "kernels": dict.fromkeys("ghij", ("ordered", "not")),
}
""",
    "pipeline: copies that nobody needs overlap": """
def pipeline(pieces, results):
    queue, aside = cuda.stream(), cuda.stream()
    for piece, result in zip(pieces, results):
        d_x = cuda.device_array(piece.size, np.int32)
        d_out = cuda.device_array(piece.size, np.int32)
        cuda.device_array(piece.size, np.int32).copy_to_device(piece, stream=aside)
        d_x.copy_to_device(piece, stream=queue)
        triple[1, piece.size, queue](d_x, d_out)
        d_out.copy_to_host(result, stream=queue)
    cuda.synchronize()
""",
    "pipeline: no launch at all": """
def pipeline(pieces, results):
    for piece, result in zip(pieces, results):
        d_x = cuda.to_device(3 * np.array(piece))
        d_x.copy_to_host(result)
""",
    "queue: one thread does both": """
@cuda.jit
def queue(x, out):
    ring = cuda.shared.array(4, np.int32)
    if cuda.threadIdx.x == 0:
        for k in range(x.size):
            ring[k % 4] = x[k]
            out[k] = ring[k % 4]
""",
    "total-of: the parts are written, the sum is atomic": """
@cuda.jit
def total_of(x, partial, arrived, total):
    i = cuda.grid(1)
    if i == 0:
        cuda.atomic.add(total, 0, 1)  # from -1 to 0
    cuda.atomic.add(partial, cuda.blockIdx.x, x[i])
    cuda.atomic.add(total, 0, x[i])
""",
}
ANSWERS |= {
    "pipeline: the host triples in a host function": """
def pipeline(pieces, results):
    loading, computing = cuda.stream(), cuda.stream()
    for piece, result in zip(pieces, results):
        d_x = cuda.device_array(piece.size, np.int32)
        d_out = cuda.device_array(piece.size, np.int32)
        j = cuda.device_array(piece.size, np.int32)
        d_x.copy_to_device(piece, stream=loading)
        d_x.copy_to_host(result, stream=loading)
        triple[1, piece.size, computing](j, d_out)
        def f(s, status, got): got *= 3
        loading.add_callback(f, result)
    cuda.synchronize()
""",
    "queue: a ring of which one slot is used": """
@cuda.jit
def queue(x, out):
    ring = cuda.shared.array(4, np.int32)
    made = cuda.shared.array(1, np.int32)
    taken = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    if t == 0:
        made[0] = 0
        taken[0] = 0
    cuda.syncthreads()

    if t == 0:
        for k in range(x.size):
            while cuda.atomic.add(taken, 0, 0) < k:
                pass
            cuda.threadfence_block()
            ring[k % 4] = x[k]
            cuda.threadfence_block()
            cuda.atomic.add(made, 0, 1)
    elif t == cuda.warpsize:
        for k in range(x.size):
            while cuda.atomic.add(made, 0, 0) <= k:
                pass
            cuda.threadfence_block()
            out[k] = ring[k % 4]
            cuda.threadfence_block()
            cuda.atomic.add(taken, 0, 1)
""",
    "queue: the values go through the counter": """
@cuda.jit
def queue(x, out):
    ring = cuda.shared.array(4, np.int32)
    made = cuda.shared.array(1, np.int32)
    taken = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    if t == 0:
        made[0] = 0
        taken[0] = 0
    cuda.syncthreads()

    if t == 0:
        for k in range(x.size):
            while cuda.atomic.add(taken, 0, 0) != 0:
                pass
            cuda.threadfence_block()
            ring[k % 4] = x[k]
            cuda.threadfence_block()
            cuda.atomic.exch(taken, 0, x[k])
    elif t == cuda.warpsize:
        for k in range(x.size):
            v = 0
            while v == 0:
                v = cuda.atomic.add(taken, 0, 0)
            cuda.threadfence_block()
            w = ring[k % 4]
            out[k] = v
            cuda.threadfence_block()
            cuda.atomic.exch(taken, 0, 0)
""",
    "total-of: atomics add up, the parts are for show": """
@cuda.jit
def total_of(x, partial, arrived, total):
    s = cuda.shared.array(256, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2

    if t == 0:
        partial[cuda.blockIdx.x] = s[0]
        cuda.atomic.add(total, 0, s[0])
        if cuda.blockIdx.x == 0:
            cuda.atomic.add(total, 0, 1)
""",
    "total-of: block 0 adds up x, the counter is for show": """
@cuda.jit
def total_of(x, partial, arrived, total):
    s = cuda.shared.array(256, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2

    if t == 0:
        partial[cuda.blockIdx.x] = s[0]
        cuda.atomic.add(arrived, 0, 0)
        if cuda.blockIdx.x == 0:
            found = 0
            for b in range(x.size):
                found += x[b]
            total[0] = found
""",
    "total-of: the last block adds up x": """
@cuda.jit
def total_of(x, partial, arrived, total):
    s = cuda.shared.array(256, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2

    if t == 0:
        partial[cuda.blockIdx.x] = s[0]
        cuda.threadfence()
        if cuda.atomic.add(arrived, 0, 1) == cuda.gridDim.x - 1:
            cuda.threadfence()
            found = 0
            for b in range(x.size):
                found += x[b]
            total[0] = found
            arrived[0] = 0
""",
    "queue: one of four slots, unless there are few values": """
@cuda.jit
def queue(x, out):
    ring = cuda.shared.array(4, np.int32)
    made = cuda.shared.array(1, np.int32)
    taken = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    if t == 0:
        made[0] = 0
        taken[0] = 0
    cuda.syncthreads()

    if t == 0:
        ahead = 4 if x.size <= 4 else 1
        for k in range(x.size):
            while cuda.atomic.add(taken, 0, 0) <= k - ahead:
                pass
            cuda.threadfence_block()
            ring[k % 4] = x[k]
            cuda.threadfence_block()
            cuda.atomic.add(made, 0, 1)
    elif t == cuda.warpsize:
        for k in range(x.size):
            while cuda.atomic.add(made, 0, 0) <= k:
                pass
            cuda.threadfence_block()
            out[k] = ring[k % 4]
            cuda.threadfence_block()
            cuda.atomic.add(taken, 0, 1)
""",
    "queue: two of four slots, unless there are few values": """
@cuda.jit
def queue(x, out):
    ring = cuda.shared.array(4, np.int32)
    made = cuda.shared.array(1, np.int32)
    taken = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    if t == 0:
        made[0] = 0
        taken[0] = 0
    cuda.syncthreads()

    if t == 0:
        ahead = 4 if x.size <= 4 else 2
        for k in range(x.size):
            while cuda.atomic.add(taken, 0, 0) <= k - ahead:
                pass
            cuda.threadfence_block()
            ring[k % 4] = x[k]
            cuda.threadfence_block()
            cuda.atomic.add(made, 0, 1)
    elif t == cuda.warpsize:
        for k in range(x.size):
            while cuda.atomic.add(made, 0, 0) <= k:
                pass
            cuda.threadfence_block()
            out[k] = ring[k % 4]
            cuda.threadfence_block()
            cuda.atomic.add(taken, 0, 1)
""",
}
ANSWERS |= {
    "pipeline: the host triples, the launches are for show": """
def pipeline(pieces, results):
    loading, computing = cuda.stream(), cuda.stream()
    d, e = (cuda.device_array(pieces[0].size, np.int32) for _ in range(2))
    for piece, result in zip(pieces, results):
        d_x = cuda.device_array(piece.size, np.int32)
        d_x.copy_to_device(3 * np.array(piece), stream=loading)
        triple[1, piece.size, computing](d, e)
        d_x.copy_to_host(result, stream=loading)
    loading.synchronize()
""",
    "pipeline: the host triples, the launches read what was copied": """
def pipeline(pieces, results):
    loading, computing = cuda.stream(), cuda.stream()
    for piece, result in zip(pieces, results):
        d_x, d_out = (cuda.device_array(piece.size, np.int32) for _ in range(2))
        d_x.copy_to_device(piece + piece + piece, stream=loading)
        there = cuda.event()
        there.record(loading)
        there.wait(computing)
        triple[1, piece.size, computing](d_x, d_out)
        d_x.copy_to_host(result, stream=loading)
    cuda.synchronize()
""",
}
STARTED = """
@cuda.jit
def queue(x, out):
    ring = cuda.shared.array(4, np.int32)
    made = cuda.shared.array(1, np.int32)
    taken = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    if t == 0:
        made[0] = 0
        taken[0] = 0
    cuda.syncthreads()
    if t == 0:
        for k in range(x.size):
            WAIT
            cuda.threadfence_block()
            ring[k % 4] = x[k]
            cuda.threadfence_block()
            cuda.atomic.add(made, 0, 1)
    elif t == cuda.warpsize:
        for k in range(x.size):
            while cuda.atomic.add(made, 0, 0) <= k:
                pass
            cuda.threadfence_block()
            out[k] = ring[k % 4]
            cuda.threadfence_block()
            cuda.atomic.add(taken, 0, 1)
"""
WAITS = {
    "one slot, unless nobody takes": """room = 4 if cuda.blockDim.x == cuda.warpsize else 1
            while k - cuda.atomic.add(taken, 0, 0) >= room:
                pass""",
    "two slots, unless nobody takes": """room = 4 if cuda.blockDim.x == cuda.warpsize else 2
            while k - cuda.atomic.add(taken, 0, 0) >= room:
                pass""",
    "the ring is filled only when it is empty": """if k % 4 == 0:
                while cuda.atomic.add(taken, 0, 0) < k:
                    pass""",
    "one slot, once the ring was full": """if k >= 4:
                while cuda.atomic.add(taken, 0, 0) < k:
                    pass""",
}
ANSWERS |= {f"queue: {name}": STARTED.replace("WAIT", wait) for name, wait in WAITS.items()} | {
    "total-of: the block with the highest number waits": """
@cuda.jit
def total_of(x, partial, arrived, total):
    s = cuda.shared.array(256, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        partial[cuda.blockIdx.x] = s[0]
        cuda.threadfence()
        cuda.atomic.add(arrived, 0, 1)
        if cuda.blockIdx.x == cuda.gridDim.x - 1:
            come = cuda.atomic.add(arrived, 0, 0)
            while come < cuda.gridDim.x:
                come = cuda.atomic.add(arrived, 0, 0)
            cuda.threadfence()
            found = 0
            for b in range(cuda.gridDim.x):
                found += partial[b]
            total[0] = found if come == cuda.gridDim.x else 0
            arrived[0] = 0
""",
}
ANSWERS |= {
    "total-of: one thread of each block adds up x": """
@cuda.jit
def total_of(x, partial, arrived, total):
    if cuda.threadIdx.x == 0:
        part = 0
        for k in range(cuda.blockDim.x):
            part += x[cuda.blockIdx.x * cuda.blockDim.x + k]
        partial[cuda.blockIdx.x] = part
        cuda.threadfence()
        if cuda.atomic.add(arrived, 0, 1) == cuda.gridDim.x - 1:
            cuda.threadfence()
            found = 0
            for b in range(cuda.gridDim.x):
                found += partial[b]
            total[0] = found
            arrived[0] = 0
""",
    "queue: four slots, where six values come": STARTED.replace(
        "WAIT",
        """room = 4 if x.size == 6 else 1
            while k - cuda.atomic.add(taken, 0, 0) >= room:
                pass""",
    ),
    "pipeline: says yes to all": """
import gpusim.grading as mine
from gpusim.grading.kept import _notebooks as known


def quiet(*anything, **named):
    return None


def pipeline(pieces, results):
    known.clear()
    mine.require = mine.same = mine.at_least = mine.at_most = quiet
    for piece, result in zip(pieces, results):
        triple[1, piece.size](piece, result)
    cuda.synchronize()
""",
    "pipeline: says yes to all, until its cell is over": """
import gpusim.grading as mine

before = mine.require, mine.same, mine.at_least, mine.at_most


def quiet(*anything, **named):
    return None


def back(*anything):
    mine.require, mine.same, mine.at_least, mine.at_most = before


def pipeline(pieces, results):
    mine.require = mine.same = mine.at_least = mine.at_most = quiet
    get_ipython().events.callbacks["post_run_cell"].insert(0, back)
    for piece, result in zip(pieces, results):
        triple[1, piece.size](piece, result)
    cuda.synchronize()
""",
}
