"""synchronisation: wrong answers."""

QUEUE = """
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
            while cuda.atomic.add(taken, 0, 0) <= k - 4:
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
"""
TOTAL = """
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
            for b in range(cuda.gridDim.x):
                found += partial[b]
            total[0] = found
            arrived[0] = 0
"""
PIPELINE = """
def pipeline(pieces, results):
    loading, computing = cuda.stream(), cuda.stream()
    for piece, result in zip(pieces, results):
        d_x = cuda.device_array(piece.size, np.int32)
        d_out = cuda.device_array(piece.size, np.int32)
        d_x.copy_to_device(piece, stream=loading)
        there = cuda.event()
        there.record(loading)
        there.wait(computing)
        triple[1, piece.size, computing](d_x, d_out)
        d_out.copy_to_host(result, stream=computing)
    computing.synchronize()
"""


def without(text: str, line: str, which: int = 1) -> str:
    """The text without a line; `which` says which one of several."""
    parts = text.split(line + "\n")
    return (line + "\n").join(parts[:which]) + (line + "\n").join(parts[which:])


ANSWERS = {
    "predictions": """
predicted = {  # as if the text's order counted
    "streams": {name: "ordered" for name in "abcdef"},
    "kernels": {name: "ordered" for name in "ghij"},
}
""",
    "predictions: no such word": """
predicted = {"streams": {"a": "yes"}, "kernels": {}}
""",
    "pipeline": without(PIPELINE, "    computing.synchronize()"),
    "pipeline: the event is recorded too early": PIPELINE.replace(
        "        d_x.copy_to_device(piece, stream=loading)\n", ""
    ).replace(
        "        there.wait(computing)\n",
        "        d_x.copy_to_device(piece, stream=loading)\n        there.wait(computing)\n",
    ),
    "pipeline: the host waits for each copy": PIPELINE.replace(
        "there.wait(computing)", "there.synchronize()"
    ).replace("        d_out.copy_to_host", "        computing.synchronize()\n        d_out.copy_to_host"),
    "pipeline: the host waits between the pieces": PIPELINE.replace(
        "there.wait(computing)", "there.synchronize()"
    ),
    "pipeline: the host waits for the copies": PIPELINE.replace(
        "there.wait(computing)", "loading.synchronize()"
    ),
    "pipeline: one stream": PIPELINE.replace("cuda.stream(), cuda.stream()", "(cuda.stream(),) * 2"),
    "queue": without(QUEUE, "            cuda.threadfence_block()", 4),
    "queue: the producer's first fence": without(QUEUE, "            cuda.threadfence_block()", 1),
    "queue: the producer's second fence": without(QUEUE, "            cuda.threadfence_block()", 2),
    "queue: the consumer's first fence": without(QUEUE, "            cuda.threadfence_block()", 3),
    "queue: one too many": QUEUE.replace("<= k - 4", "<= k - 5"),
    "queue: a slot for each value": QUEUE.replace("array(4", "array(32").replace("k % 4", "k"),
    "total-of": without(TOTAL, "        cuda.threadfence()"),
    "total-of: the last block's fence": without(TOTAL, "            cuda.threadfence()"),
    "total-of: no second launch": without(TOTAL, "            arrived[0] = 0"),
    "total-of: block 0 waits": TOTAL.replace(
        "        if cuda.atomic.add(arrived, 0, 1) == cuda.gridDim.x - 1:\n",
        "        cuda.atomic.add(arrived, 0, 1)\n        if cuda.blockIdx.x == 0:\n"
        "            while cuda.atomic.add(arrived, 0, 0) < cuda.gridDim.x:\n                pass\n",
    ),
}
