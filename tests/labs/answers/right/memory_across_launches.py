"""memory-across-launches: right answers in other forms."""

ANSWERS = {
    "predictions: floats and NumPy's numbers": """
predicted = {"late_half": 4.0, "two_streams": np.int64(5), "in_turn": 8, "at_the_end": 8,
             "writes_on": 2, "own_eyes": 3, "both_halves": 0}
""",
    "shares: a tail grid for each block": """
@cuda.jit
def divide_part(x, total, out, first):
    i = first + cuda.threadIdx.x
    out[i] = 1000 * x[i] // total[0]


@cuda.jit
def shares(x, total, out):
    i = cuda.grid(1)
    if cuda.threadIdx.x == 0:
        add_up[1, cuda.blockDim.x](x, total, i)
        divide_part[1, cuda.blockDim.x, TAIL](x, total, out, i)
""",
    "shares: the tail first, by the last thread": """
@cuda.jit
def divide(x, total, out):
    i = cuda.grid(1)
    out[i] = 1000 * x[i] // total[0]


@cuda.jit
def shares(x, total, out):
    i, n = cuda.grid(1), cuda.blockDim.x
    if i == cuda.gridDim.x * n - 1:
        divide[cuda.gridDim.x, n, TAIL](x, total, out)
    if cuda.threadIdx.x == 0:
        add_up[1, n, FREE](x, total, i)
""",
    "shares: a grid of one block more than needed, with a guard": """
@cuda.jit
def split(x, total, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] * 1000 // total[0]


@cuda.jit
def shares(x, total, out):
    i = cuda.grid(1)
    if cuda.threadIdx.x == 0:
        add_up[1, cuda.blockDim.x](x, total, i)
    if i == 0:
        split[(x.size + 31) // 32, 32, TAIL](x, total, out)
""",
    "smooth: one grid clears all, in the tail": """
@cuda.jit
def clear_all(room):
    room[cuda.grid(1)] = 0


@cuda.jit
def smooth(x, room, out):
    i, n = cuda.grid(1), cuda.blockDim.x
    room[i] = x[i] * x[i]
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        window[1, n](room, out, i)
    if i == 0:
        clear_all[cuda.gridDim.x, n, TAIL](room)
""",
    "smooth: clear in the tail": """
@cuda.jit
def smooth(x, room, out):
    i, n = cuda.grid(1), cuda.blockDim.x
    v = x[i]
    room[i] = v * v
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        window[1, n, FREE](room, out, i)
        clear[1, n, TAIL](room, i)
""",
    "smooth: the block's last thread launches, in a stream of its own": """
@cuda.jit
def smooth(x, room, out):
    i, n = cuda.grid(1), cuda.blockDim.x
    room[i] = x[i] * x[i]
    cuda.syncthreads()
    if cuda.threadIdx.x == n - 1:
        _, stream = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
        window[1, n, stream](room, out, i + 1 - n)
        clear[1, n, stream](room, i + 1 - n)
""",
    "merge: with fire-and-forget launches": """
@cuda.jit
def merge(n, data):
    s = cuda.shared.array(0, np.int32)
    t, half = cuda.threadIdx.x, n // 2
    s[t] = data[t]
    cuda.syncthreads()
    a, b = s[t % half], s[t % half + half]
    data[t] = min(a, b) if t < half else max(a, b)
    cuda.syncthreads()
    if t == 0 and half > 1:
        merge[1, half, FREE, half * 4](half, data[:half])
        merge[1, half, FREE, half * 4](half, data[half:])
""",
    "merge: two threads launch": """
@cuda.jit
def merge(n, data):
    s = cuda.shared.array(0, np.int32)
    t, half = cuda.threadIdx.x, n // 2
    mine = data[t]
    s[t] = mine
    cuda.syncthreads()
    other = s[t ^ half]
    if (t < half) == (other < mine):
        mine = other
    data[t] = mine
    cuda.syncthreads()
    if t % half == 0 and n > 2:
        merge[1, half, 0, half * 4](half, data[t : t + half])
""",
    "rooms: the child frees with cudaFree, the parent takes with cudaMalloc": '''
rooms = r"""
__global__ void turn(const int* x, int* out, int* room, int n) {
    int t = threadIdx.x;
    room[t] = x[t];
    __syncthreads();
    out[t] = room[n - 1 - t];
    __syncthreads();
    if (t == n - 1) cudaFree(room);
}

__global__ void jobs(const int* x, const int* first, int* out, int count) {
    for (int j = 0; j < count; j++) {
        int begin = first[j], n = first[j + 1] - begin;
        int* room;
        if (cudaMalloc(&room, n * sizeof(int)) == cudaSuccess)
            turn<<<1, n>>>(x + begin, out + begin, room, n);
    }
}
"""
''',
    "rooms: new and delete": '''
rooms = r"""
__global__ void turn(const int* x, int* out, int* room, int n) {
    int t = threadIdx.x;
    room[t] = x[t];
    __syncthreads();
    out[t] = room[n - 1 - t];
    __syncthreads();
    if (t == 0) delete[] room;
}

__global__ void jobs(const int* x, const int* first, int* out, int count) {
    for (int j = 0; j < count; j++) {
        int begin = first[j], n = first[j + 1] - begin;
        int* room = new int[n];
        if (room) turn<<<1, n, 0, cudaStreamFireAndForget>>>(x + begin, out + begin, room, n);
    }
}
"""
''',
    "rooms: a grid in the same stream gives back": '''
rooms = r"""
__global__ void give(int* room) { free(room); }

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
        if (room) {
            turn<<<1, n>>>(x + begin, out + begin, room, n);
            give<<<1, 1>>>(room);
        }
    }
}
"""
''',
    "rooms: the tail gives back": '''
rooms = r"""
__global__ void give(int* room) { free(room); }

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
        if (room) {
            turn<<<1, n>>>(x + begin, out + begin, room, n);
            give<<<1, 1, 0, cudaStreamTailLaunch>>>(room);
        }
    }
}
"""
''',
    "shares: the tail first, children in no stream": """
@cuda.jit
def divide(x, total, out):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        out[i] = 1000 * x[i] // total[0]

@cuda.jit
def shares(x, total, out):
    i = cuda.grid(1)
    if i == 0:
        divide[cuda.gridDim.x, cuda.blockDim.x, TAIL](x, total, out)
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        add_up[1, cuda.blockDim.x, FREE](x, total, i)
""",
    "merge: registers first, the last thread launches": """
@cuda.jit
def merge(n, data):
    s = cuda.shared.array(0, np.int32)
    t, half = cuda.threadIdx.x, n // 2
    mine = data[t]
    s[t] = mine
    cuda.syncthreads()
    other = s[t ^ half]
    data[t] = min(mine, other) if (t & half) == 0 else max(mine, other)
    if n <= 2:
        return
    cuda.syncthreads()
    if t == n - 1:
        merge[1, half, 0, 4 * half, ](half, data[half:])
        merge[1, half, FREE, 4 * half](half, data[:half])
""",
    "merge: a branch, and a thread for each child": """
@cuda.jit
def merge(n, data):
    s = cuda.shared.array(0, np.int32)
    t = cuda.threadIdx.x
    half = n >> 1
    s[t] = data[t]
    cuda.syncthreads()
    if t < half:
        data[t] = min(s[t], s[t + half])
    else:
        data[t] = max(s[t], s[t - half])
    cuda.syncthreads()
    if n <= 2:
        return
    if t == 0 or t == half:
        merge[1, half, 0, 4 * half](half, data[t:t + half])
""",
    "rooms: a grid behind the child gives back": '''
rooms = r"""
__global__ void turn(const int* x, int* out, int* room, int n) {
    int t = threadIdx.x;
    room[t] = x[t];
    __syncthreads();
    out[t] = room[n - 1 - t];
}
__global__ void back(int* room) { free(room); }
__global__ void jobs(const int* x, const int* first, int* out, int count) {
    for (int j = 0; j < count; j++) {
        int begin = first[j], n = first[j + 1] - begin;
        int* room;
        if (cudaMalloc((void**)&room, n * sizeof(int)) != cudaSuccess) continue;
        turn<<<1, n>>>(x + begin, out + begin, room, n);
        back<<<1, 1>>>(room);
    }
}
"""
''',
}
