"""synchronisation: right answers in other forms."""

ANSWERS = {
    "predictions: upper case and blanks": """
predicted = {
    "streams": {"a": "Ordered", "b": "NOT", "c": "ordered ", "d": "not", "e": "Not", "f": "ordered"},
    "kernels": {"g": "not", "h": "ORDERED", "i": "not", "j": "ordered"},
}
""",
    "pipeline: by CUDA's names": """
def pipeline(pieces, results):
    loading = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)[1]
    computing = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)[1]
    for piece, result in zip(pieces, results):
        d_x = cuda.device_array(piece.size, np.int32)
        d_out = cuda.device_array(piece.size, np.int32)
        d_x.copy_to_device(piece, stream=loading)
        there = cudart.cudaEventCreate()[1]
        cudart.cudaEventRecord(there, loading)
        cudart.cudaStreamWaitEvent(computing, there, 0)
        triple[1, piece.size, computing](d_x, d_out)
        d_out.copy_to_host(result, stream=computing)
    cudart.cudaStreamSynchronize(computing)
""",
    "pipeline: a stream for each piece": """
def pipeline(pieces, results):
    for piece, result in zip(pieces, results):
        own = cuda.stream()
        d_x = cuda.device_array(piece.size, np.int32)
        d_out = cuda.device_array(piece.size, np.int32)
        d_x.copy_to_device(piece, stream=own)
        triple[1, piece.size, own](d_x, d_out)
        d_out.copy_to_host(result, stream=own)
    cuda.synchronize()
""",
    "pipeline: all copies first": """
def pipeline(pieces, results):
    loading, computing = cuda.stream(), cuda.stream()
    there = []
    for piece in pieces:
        d_x = cuda.to_device(piece, stream=loading)
        event = cuda.event()
        event.record(loading)
        there.append((d_x, event))
    for (d_x, event), result in zip(there, results):
        event.wait(computing)
        d_out = cuda.device_array(d_x.size, np.int32)
        triple[1, d_x.size, computing](d_x, d_out)
        d_out.copy_to_host(result, stream=computing)
    cuda.synchronize()
""",
    "queue: the counters are compared": """
@cuda.jit
def queue(x, out):
    ring = cuda.shared.array(4, np.int32)
    counts = cuda.shared.array(2, np.int32)
    t = cuda.threadIdx.x
    if t < 2:
        counts[t] = 0
    cuda.syncthreads()
    if t == 0:
        for k in range(x.size):
            while k - cuda.atomic.add(counts, 1, 0) == 4:
                pass
            cuda.threadfence()
            ring[k & 3] = x[k]
            cuda.threadfence()
            cuda.atomic.exch(counts, 0, k + 1)
    elif t == cuda.warpsize:
        for k in range(x.size):
            while cuda.atomic.max(counts, 0, 0) == k:
                pass
            cuda.threadfence()
            value = ring[k & 3]
            cuda.threadfence()
            cuda.atomic.add(counts, 1, 1)
            out[k] = value
""",
    "total-of: a counter that goes round": """
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
        before = cuda.atomic.inc(arrived, 0, cuda.gridDim.x - 1)
        cuda.threadfence()
        if before == cuda.gridDim.x - 1:
            found = 0
            for b in range(cuda.gridDim.x):
                found += partial[b]
            total[0] = found
""",
}
ANSWERS |= {
    "pipeline: the first stream is asked for from the end": """
def pipeline(pieces, results):
    computing = cuda.stream()
    kept = []
    for k in range(len(pieces)):
        loading, there = cuda.stream(), cuda.event()
        d_x = cuda.to_device(pieces[k], stream=loading)
        there.record(stream=loading)
        there.wait(stream=computing)
        d_out = cuda.device_array_like(d_x)
        triple[1, pieces[k].size, computing](d_x, d_out)
        d_out.copy_to_host(results[k], stream=computing)
        kept.append((d_x, d_out))
    done = cuda.event()
    done.record(computing)
    done.synchronize()
""",
    "queue: each slot has a flag": """
@cuda.jit
def queue(x, out):
    ring = cuda.shared.array(4, np.int32)
    full = cuda.shared.array(4, np.int32)
    t = cuda.threadIdx.x
    if t < 4:
        full[t] = 0
    cuda.syncthreads()
    if t == 0:
        for k in range(x.size):
            while cuda.atomic.cas(full, k % 4, 0, 0) != 0:
                pass
            cuda.threadfence_block()
            ring[k % 4] = x[k]
            cuda.threadfence_block()
            cuda.atomic.exch(full, k % 4, 1)
    if t == cuda.warpsize:
        for k in range(x.size):
            while cuda.atomic.cas(full, k % 4, 0, 0) != 1:
                pass
            cuda.threadfence_block()
            out[k] = ring[k % 4]
            cuda.threadfence_block()
            cuda.atomic.exch(full, k % 4, 0)
""",
    "total-of: all threads of the last block add up": """
@cuda.jit
def total_of(x, partial, arrived, total):
    s = cuda.shared.array(256, np.int32)
    last = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    if t == 0:
        part = 0
        for k in range(cuda.blockDim.x):
            part += s[k]
        partial[cuda.blockIdx.x] = part
        cuda.threadfence()
        last[0] = cuda.atomic.add(arrived, 0, 1) == cuda.gridDim.x - 1
        cuda.threadfence()
        if last[0]:
            total[0] = 0
            arrived[0] = 0
    cuda.syncthreads()
    if last[0]:
        for b in range(t, cuda.gridDim.x, cuda.blockDim.x):
            cuda.atomic.add(total, 0, partial[b])
""",
}
ANSWERS |= {
    "pipeline: the host waits for each result at the end": """
def pipeline(pieces, results):
    loading, computing = cuda.stream(), cuda.stream()
    done = []
    for piece, result in zip(pieces, results):
        d_x, d_out = (cuda.device_array(piece.size, np.int32) for _ in range(2))
        d_x.copy_to_device(piece, stream=loading)
        there, ready = cuda.event(), cuda.event()
        there.record(loading)
        there.wait(computing)
        triple[1, piece.size, computing](d_x, d_out)
        d_out.copy_to_host(result, stream=computing)
        ready.record(computing)
        done.append(ready)
    for ready in done:
        ready.synchronize()
""",
}
ANSWERS |= {
    "pipeline: three streams, and an event for each hand-over": """
def pipeline(pieces, results):
    loading, computing, storing = (cudart.cudaStreamCreate()[1] for _ in range(3))
    for piece, result in zip(pieces, results):
        a, b = (cudart.cudaEventCreate()[1] for _ in range(2))
        d_x = cuda.device_array(piece.size, np.int32)
        d_out = cuda.device_array(piece.size, np.int32)
        d_x.copy_to_device(piece, stream=loading)
        cudart.cudaEventRecord(a, loading)
        cudart.cudaStreamWaitEvent(computing, a, 0)
        triple[1, piece.size, computing](d_x, d_out)
        cudart.cudaEventRecord(b, computing)
        cudart.cudaStreamWaitEvent(storing, b, 0)
        d_out.copy_to_host(result, stream=storing)
    cudart.cudaStreamSynchronize(storing)
""",
    "queue: the difference of the counters": """
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
            while k - cuda.atomic.add(taken, 0, 0) >= 4:
                pass
            cuda.threadfence()
            ring[k % 4] = x[k]
            cuda.threadfence()
            cuda.atomic.exch(made, 0, k + 1)
    elif t == cuda.warpsize:
        for k in range(x.size):
            while cuda.atomic.max(made, 0, 0) < k + 1:
                pass
            cuda.threadfence()
            v = ring[k % 4]
            cuda.threadfence()
            cuda.atomic.add(taken, 0, 1)
            out[k] = v
""",
    "queue: the producer remembers what it saw": """
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
        seen = 0
        for k in range(x.size):
            while seen <= k - 4:
                seen = cuda.atomic.add(taken, 0, 0)
            cuda.threadfence_block()
            ring[k % 4] = x[k]
            cuda.threadfence_block()
            cuda.atomic.exch(made, 0, k + 1)
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
    "pipeline: pieces of one large array, tripled in place": """
def pipeline(pieces, results):
    loading, computing = cuda.stream(), cuda.stream()
    n = pieces[0].size
    d_all = cuda.device_array(n * len(pieces), np.int32)
    there = cuda.event()
    for k, (piece, result) in enumerate(zip(pieces, results)):
        d_x = d_all[k * n : (k + 1) * n]
        d_x.copy_to_device(piece, stream=loading)
        there.record(loading)
        there.wait(computing)
        triple[1, n, computing](d_x, d_x)
        d_x.copy_to_host(result, stream=computing)
    computing.synchronize()
""",
    "queue: a slow producer": """
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
            value = x[k]
            for again in range(8):
                value ^= again
            for again in range(8):
                value ^= again
            while True:
                cuda.threadfence()
                if cuda.atomic.cas(taken, 0, -1, -1) + 4 > k:
                    break
            cuda.threadfence()
            ring[k % 4] = value
            cuda.threadfence()
            cuda.atomic.add(made, 0, 1)
    elif t == cuda.warpsize:
        for k in range(x.size):
            while cuda.atomic.add(made, 0, 0) <= k:
                pass
            cuda.threadfence()
            out[k] = ring[k % 4]
            cuda.threadfence()
            cuda.atomic.add(taken, 0, 1)
""",
}
