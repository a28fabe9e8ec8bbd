"""memory-across-launches: wrong answers."""

ANSWERS = {
    "predictions: not filled in": """
predicted = {"late_half": 4}
""",
    "predictions: as the usual order has it": """
predicted = {"late_half": 8, "two_streams": 8, "in_turn": 8, "at_the_end": 6,
             "writes_on": 8, "own_eyes": 8, "both_halves": 8}
""",
    "shares: the next launch in the block's stream": """
@cuda.jit
def divide(x, total, out):
    i = cuda.grid(1)
    out[i] = 1000 * x[i] // total[0]


@cuda.jit
def shares(x, total, out):
    i = cuda.grid(1)
    if cuda.threadIdx.x == 0:
        add_up[1, cuda.blockDim.x](x, total, i)
    if i == 0:
        divide[cuda.gridDim.x, cuda.blockDim.x](x, total, out)
""",
    "shares: each block divides its own part in its stream": """
@cuda.jit
def divide_part(x, total, out, first):
    i = first + cuda.threadIdx.x
    out[i] = 1000 * x[i] // total[0]


@cuda.jit
def shares(x, total, out):
    i = cuda.grid(1)
    if cuda.threadIdx.x == 0:
        add_up[1, cuda.blockDim.x](x, total, i)
        divide_part[1, cuda.blockDim.x](x, total, out, i)
""",
    "shares: a fence": """
@cuda.jit
def shares(x, total, out):
    i = cuda.grid(1)
    if cuda.threadIdx.x == 0:
        add_up[1, cuda.blockDim.x](x, total, i)
    cuda.threadfence()
    cuda.syncthreads()
    out[i] = 1000 * x[i] // max(total[0], 1)
""",
    "smooth: only the barrier before the launch": """
@cuda.jit
def smooth(x, room, out):
    i, n = cuda.grid(1), cuda.blockDim.x
    room[i] = x[i] * x[i]
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        window[1, n](room, out, i)
    room[i] = 0
""",
    "smooth: only the clearing": """
@cuda.jit
def smooth(x, room, out):
    i, n = cuda.grid(1), cuda.blockDim.x
    room[i] = x[i] * x[i]
    if cuda.threadIdx.x == 0:
        window[1, n](room, out, i)
        clear[1, n](room, i)
""",
    "smooth: clear may come first": """
@cuda.jit
def smooth(x, room, out):
    i, n = cuda.grid(1), cuda.blockDim.x
    room[i] = x[i] * x[i]
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        window[1, n, FREE](room, out, i)
        clear[1, n, FREE](room, i)
""",
    "merge: threads of the whole row": """
@cuda.jit
def merge(n, data):
    s = cuda.shared.array(0, np.int32)
    t, half = cuda.threadIdx.x, n // 2
    s[t] = data[t]
    cuda.syncthreads()
    other = s[(t + half) % n]
    data[t] = min(s[t], other) if t < half else max(s[t], other)
    cuda.syncthreads()
    if t == 0 and n > 2:
        merge[1, n, 0, 4 * half](half, data[:half])
        merge[1, n, 0, 4 * half](half, data[half:n])
""",
    "merge: too few bytes": """
@cuda.jit
def merge(n, data):
    s = cuda.shared.array(0, np.int32)
    t, half = cuda.threadIdx.x, n // 2
    s[t] = data[t]
    cuda.syncthreads()
    other = s[(t + half) % n]
    data[t] = min(s[t], other) if t < half else max(s[t], other)
    cuda.syncthreads()
    if t == 0 and n > 2:
        merge[1, half, 0, half](half, data[:half])
        merge[1, half, 0, half](half, data[half:n])
""",
    "merge: shared memory for the children": """
@cuda.jit
def merge(n, data):
    s = cuda.shared.array(0, np.int32)
    t, half = cuda.threadIdx.x, n // 2
    s[t] = data[t]
    cuda.syncthreads()
    if t == 0 and n > 2:
        merge[1, half, 0, 4 * half](half, s[:half])
""",
    "rooms: never given back": '''
rooms = r"""
__global__ void turn(const int* x, int* out, int* room, int n) {
    int t = threadIdx.x;
    room[t] = x[t];
    __syncthreads();
    out[t] = room[n - 1 - t];
}

__global__ void jobs(const int* x, const int* first, int* out, int count) {
    for (int j = 0; j < count; j++) {
        int begin = first[j], n = first[j + 1] - begin;
        int* room = (int*)malloc(n * sizeof(int));
        if (room) turn<<<1, n, 0, cudaStreamFireAndForget>>>(x + begin, out + begin, room, n);
    }
}
"""
''',
    "rooms: free behind the first barrier": '''
rooms = r"""
__global__ void turn(const int* x, int* out, int* room, int n) {
    int t = threadIdx.x;
    room[t] = x[t];
    __syncthreads();
    out[t] = room[n - 1 - t];
    if (t == 0) free(room);
}

__global__ void jobs(const int* x, const int* first, int* out, int count) {
    for (int j = 0; j < count; j++) {
        int begin = first[j], n = first[j + 1] - begin;
        int* room = (int*)malloc(n * sizeof(int));
        if (room) turn<<<1, n, 0, cudaStreamFireAndForget>>>(x + begin, out + begin, room, n);
    }
}
"""
''',
    "rooms: nobody looks at the pointer": '''
rooms = r"""
__global__ void turn(const int* x, int* out, int* room, int n) {
    int t = threadIdx.x;
    room[t] = x[t];
    __syncthreads();
    out[t] = room[n - 1 - t];
    __syncthreads();
    if (t == 0) free(room);
}

__global__ void jobs(const int* x, const int* first, int* out, int count) {
    for (int j = 0; j < count; j++) {
        int begin = first[j], n = first[j + 1] - begin;
        int* room = (int*)malloc(n * sizeof(int));
        turn<<<1, n, 0, cudaStreamFireAndForget>>>(x + begin, out + begin, room, n);
    }
}
"""
''',
    "rooms: not C++": """
rooms = "def jobs(): pass"
""",
    "rooms: frees twice": '''
rooms = r"""
__global__ void turn(const int* x, int* out, int* room, int n) {
    int t = threadIdx.x;
    room[t] = x[t];
    __syncthreads();
    out[t] = room[n - 1 - t];
    __syncthreads();
    if (t == 0) free(room);
    __syncthreads();
    if (t == n - 1) free(room);
}
__global__ void jobs(const int* x, const int* first, int* out, int count) {
    for (int j = 0; j < count; j++) {
        int begin = first[j], n = first[j + 1] - begin;
        int* room = (int*)malloc(n * sizeof(int));
        if (room) turn<<<1, n>>>(x + begin, out + begin, room, n);
    }
}
"""
''',
    "smooth: clear in no stream": """
@cuda.jit
def smooth(x, room, out):
    i, n = cuda.grid(1), cuda.blockDim.x
    room[i] = x[i] * x[i]
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        window[1, n](room, out, i)
        clear[1, n, FREE](room, i)
""",
    "rooms: free behind a barrier of the warp": '''
rooms = r"""
__global__ void turn(const int* x, int* out, int* room, int n) {
    int t = threadIdx.x;
    room[t] = x[t];
    __syncthreads();
    out[t] = room[n - 1 - t];
    __syncwarp();
    if (t == 0) free(room);
}

__global__ void jobs(const int* x, const int* first, int* out, int count) {
    for (int j = 0; j < count; j++) {
        int begin = first[j], n = first[j + 1] - begin;
        int* room = (int*)malloc(n * sizeof(int));
        if (room) turn<<<1, n, 0, cudaStreamFireAndForget>>>(x + begin, out + begin, room, n);
    }
}
"""
''',
}
