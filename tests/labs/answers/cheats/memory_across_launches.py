"""memory-across-launches: cheats."""

from tests.labs.answers.forged import FORGED

ANSWERS = {
    "predictions": FORGED
    + """
predicted = dict.fromkeys(("late_half", "two_streams", "in_turn", "at_the_end", "writes_on", "own_eyes",
                           "both_halves"), Anything())
""",
    "predictions: other kernels": """
@cuda.jit
def late_half(data, seen):
    seen[cuda.threadIdx.x] = 0


two_streams = at_the_end = writes_on = own_eyes = both_halves = in_turn = late_half
predicted = dict.fromkeys(("late_half", "two_streams", "in_turn", "at_the_end", "writes_on", "own_eyes",
                           "both_halves"), 8)
""",
    "shares: every thread adds up everything": """
@cuda.jit
def shares(x, total, out):
    i = cuda.grid(1)
    if cuda.threadIdx.x == 0:
        add_up[1, cuda.blockDim.x](x, total, i)
    found = 0
    for k in range(x.size):
        found += x[k]
    out[i] = 1000 * x[i] // found
""",
    "shares: without children": """
@cuda.jit
def shares(x, total, out):
    i = cuda.grid(1)
    found = 0
    for k in range(x.size):
        found += x[k]
    if i == 0:
        total[0] = found
    out[i] = 1000 * x[i] // found
""",
    "shares: one child adds up all, and is called add_up": """
@cuda.jit
def add_up(x, total, out):
    found = 0
    for k in range(x.size):
        found += x[k]
    total[0] = found
    for k in range(x.size):
        out[k] = 1000 * x[k] // found


@cuda.jit
def shares(x, total, out):
    if cuda.threadIdx.x == 0:
        add_up[1, 1](x, total, out)
""",
    "shares: one thread divides": """
@cuda.jit
def divide_all(x, total, out):
    for k in range(x.size):
        out[k] = 1000 * x[k] // total[0]


@cuda.jit
def shares(x, total, out):
    i = cuda.grid(1)
    if cuda.threadIdx.x == 0:
        add_up[1, cuda.blockDim.x](x, total, i)
    if i == 0:
        divide_all[1, 1, TAIL](x, total, out)
""",
    "smooth: without the room": """
@cuda.jit
def smooth(x, room, out):
    i, t, n = cuda.grid(1), cuda.threadIdx.x, cuda.blockDim.x
    room[i] = 0
    found = x[i] * x[i]
    if t > 0:
        found += x[i - 1] * x[i - 1]
    if t + 1 < n:
        found += x[i + 1] * x[i + 1]
    out[i] = found
""",
    "smooth: one thread writes the squares": """
@cuda.jit
def smooth(x, room, out):
    i, n = cuda.grid(1), cuda.blockDim.x
    if cuda.threadIdx.x == 0:
        for k in range(n):
            room[i + k] = x[i + k] * x[i + k]
        window[1, n](room, out, i)
        clear[1, n](room, i)
""",
    "smooth: a barrier too many": """
@cuda.jit
def smooth(x, room, out):
    i, n = cuda.grid(1), cuda.blockDim.x
    room[i] = x[i] * x[i]
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        window[1, n](room, out, i)
        clear[1, n](room, i)
    cuda.syncthreads()
""",
    "merge: one thread sorts": """
@cuda.jit
def merge(n, data):
    if cuda.threadIdx.x == 0:
        for k in range(n):
            for j in range(n - 1):
                if data[j] > data[j + 1]:
                    data[j], data[j + 1] = data[j + 1], data[j]
""",
    "merge: all levels in one grid": """
@cuda.jit
def merge(n, data):
    s = cuda.shared.array(0, np.int32)
    t, half = cuda.threadIdx.x, n // 2
    mine = data[t]
    while half > 0:
        s[t] = mine
        cuda.syncthreads()
        other = s[t ^ half]
        mine = min(mine, other) if t & half == 0 else max(mine, other)
        cuda.syncthreads()
        half //= 2
    data[t] = mine
""",
    "merge: global memory only": """
@cuda.jit
def merge(n, data):
    t, half = cuda.threadIdx.x, n // 2
    if t < half:
        a, b = data[t], data[t + half]
        data[t], data[t + half] = min(a, b), max(a, b)
    cuda.syncthreads()
    if t == 0 and n > 2:
        merge[1, half](half, data[:half])
        merge[1, half](half, data[half:n])
""",
    "merge: room for the whole row everywhere": """
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
        merge[1, half, 0, 8 * n](half, data[:half])
        merge[1, half, 0, 8 * n](half, data[half:n])
""",
    "rooms: a static array": '''
rooms = r"""
__device__ int store[100000];
__global__ void turn(const int* x, int* out, int* room, int n) {
    int t = threadIdx.x;
    room[t] = x[t];
    __syncthreads();
    out[t] = room[n - 1 - t];
}

__global__ void jobs(const int* x, const int* first, int* out, int count) {
    for (int j = 0; j < count; j++) {
        int begin = first[j], n = first[j + 1] - begin;
        int* room;
        room = store + begin;
        turn<<<1, n, 0, cudaStreamFireAndForget>>>(x + begin, out + begin, room, n);
    }
}
"""
''',
    "rooms: shared memory": '''
rooms = r"""
__global__ void turn(const int* x, int* out, int n) {
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    out[t] = s[n - 1 - t];
}

__global__ void jobs(const int* x, const int* first, int* out, int count) {
    for (int j = 0; j < count; j++) {
        int begin = first[j], n = first[j + 1] - begin;
        turn<<<1, n, 4 * n>>>(x + begin, out + begin, n);
    }
}
"""
''',
    "rooms: no child": '''
rooms = r"""
__global__ void jobs(const int* x, const int* first, int* out, int count) {
    for (int j = 0; j < count; j++) {
        int begin = first[j], n = first[j + 1] - begin;
        int* room = (int*)malloc(n * sizeof(int));
        if (room)
            for (int k = 0; k < n; k++) out[begin + k] = x[begin + n - 1 - k];
        free(room);
    }
}
"""
''',
    "smooth: the window's result is thrown away": """
@cuda.jit
def do_all(x, room, out):
    s = cuda.shared.array(1024, np.int32)
    i, t, n = cuda.grid(1), cuda.threadIdx.x, cuda.blockDim.x
    s[t] = x[i] * x[i]
    cuda.syncthreads()
    left = s[t - 1] if t > 0 else 0
    right = s[t + 1] if t + 1 < n else 0
    out[i] = left + s[t] + right
    room[i] = 0

@cuda.jit
def smooth(x, room, out):
    i, n = cuda.grid(1), cuda.blockDim.x
    if cuda.threadIdx.x == 0:
        window[1, n](room, out, i)
    if i == 0:
        do_all[cuda.gridDim.x, n, TAIL](x, room, out)
""",
    "shares: the children's sum is thrown away": """
@cuda.jit
def divide(x, total, out):
    s = cuda.shared.array(1, np.int64)
    i, t = cuda.grid(1), cuda.threadIdx.x
    if t == 0:
        s[0] = 0
    cuda.syncthreads()
    mine = 0
    for k in range(t, x.size, cuda.blockDim.x):
        mine += x[k]
    cuda.atomic.add(s, 0, mine)
    cuda.syncthreads()
    out[i] = 1000 * x[i] // s[0]
    if i == 0:
        total[0] = s[0]

@cuda.jit
def shares(x, total, out):
    i = cuda.grid(1)
    if cuda.threadIdx.x == 0:
        add_up[1, cuda.blockDim.x](x, total, i)
    if i == 0:
        divide[cuda.gridDim.x, cuda.blockDim.x, TAIL](x, total, out)
""",
    "merge: the first grid sorts, the children look busy": """
@cuda.jit
def merge(n, data):
    s = cuda.shared.array(0, np.int32)
    t, half = cuda.threadIdx.x, n // 2
    s[t] = data[t]
    cuda.syncthreads()
    place = 0
    for k in range(n):
        if s[k] < s[t]:
            place += 1
    data[place] = s[t]
    cuda.syncthreads()
    if t == 0 and n > 2:
        merge[1, half, 0, 4 * half](half, data[:half])
        merge[1, half, 0, 4 * half](half, data[half:])
""",
    "merge: one thread sorts in shared memory": """
@cuda.jit
def merge(n, data):
    s = cuda.shared.array(0, np.int32)
    t, half = cuda.threadIdx.x, n // 2
    s[t] = data[t]
    cuda.syncthreads()
    if t == 0:
        for k in range(1, n):
            j, v = k, s[k]
            while j > 0 and s[j - 1] > v:
                s[j] = s[j - 1]
                j -= 1
            s[j] = v
    cuda.syncthreads()
    data[t] = s[t]
    cuda.syncthreads()
    if t == 0 and n > 2:
        merge[1, half, 0, 4 * half](half, data[:half])
""",
    "merge: a chain of idle children": """
@cuda.jit
def merge(n, data):
    s = cuda.shared.array(0, np.int32)
    t, half = cuda.threadIdx.x, n // 2
    if n > 0 and cuda.blockDim.x > 1 or n == 1:
        s[t] = data[t]
        cuda.syncthreads()
        place = 0
        for k in range(n):
            if s[k] < s[t]:
                place += 1
        data[place] = s[t]
        cuda.syncthreads()
    if t == 0:
        if n > 2:
            merge[1, 1, 0, 0](-half, data)
        elif n < -2:
            merge[1, 1, 0, 0](-(-n // 2), data)
""",
    "rooms: shared memory, the room only taken and dropped": '''
rooms = r"""
__global__ void turn(const int* x, int* out, int n) {
    __shared__ int own[1024];
    int t = threadIdx.x;
    own[t] = x[t];
    __syncthreads();
    out[t] = own[n - 1 - t];
}
__global__ void jobs(const int* x, const int* first, int* out, int count) {
    for (int j = 0; j < count; j++) {
        int begin = first[j], n = first[j + 1] - begin;
        int* room = (int*)malloc(n * sizeof(int));
        if (!room) continue;
        free(room);
        turn<<<1, n, 0, cudaStreamFireAndForget>>>(x + begin, out + begin, n);
    }
}
"""
''',
    "rooms: a pool that is no heap": '''
rooms = r"""
__device__ int pool[65536];
__global__ void turn(const int* x, int* out, int* room, int n) {
    int t = threadIdx.x;
    room[t] = x[t];
    __syncthreads();
    out[t] = room[n - 1 - t];
}
__global__ void jobs(const int* x, const int* first, int* out, int count) {
    for (int j = 0; j < count; j++) {
        int begin = first[j], n = first[j + 1] - begin;
        void* probe = malloc(n * sizeof(int));
        if (!probe) continue;
        free(probe);
        turn<<<1, n, 0, cudaStreamFireAndForget>>>(x + begin, out + begin, pool + 1024 * j, n);
    }
}
"""
''',
    "rooms: the child of one thread": '''
rooms = r"""
__global__ void turn(const int* x, int* out, int* room, int n) {
    for (int t = 0; t < n; t++) room[t] = x[t];
    for (int t = 0; t < n; t++) out[t] = room[n - 1 - t];
    free(room);
}
__global__ void jobs(const int* x, const int* first, int* out, int count) {
    for (int j = 0; j < count; j++) {
        int begin = first[j], n = first[j + 1] - begin;
        int* room = (int*)malloc(n * sizeof(int));
        if (room) turn<<<1, 1, 0, cudaStreamFireAndForget>>>(x + begin, out + begin, room, n);
    }
}
"""
''',
    "shares: one thread of each block divides": """
@cuda.jit
def divide(x, total, out):
    s = cuda.shared.array(1024, np.int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = x[i]
    cuda.syncthreads()
    if t == 0:
        whole = total[0]
        for k in range(cuda.blockDim.x):
            out[i + k] = 1000 * s[k] // whole

@cuda.jit
def shares(x, total, out):
    i = cuda.grid(1)
    if cuda.threadIdx.x == 0:
        add_up[1, cuda.blockDim.x](x, total, i)
    if i == 0:
        divide[cuda.gridDim.x, cuda.blockDim.x, TAIL](x, total, out)
""",
    "merge: every grid runs all levels": """
@cuda.jit
def merge(n, data):
    s = cuda.shared.array(0, np.int32)
    t, half = cuda.threadIdx.x, n // 2
    s[t] = data[t]
    cuda.syncthreads()
    k = half
    mine = s[t]
    while k > 0:
        other = s[t ^ k]
        mine = min(mine, other) if t & k == 0 else max(mine, other)
        cuda.syncthreads()
        s[t] = mine
        cuda.syncthreads()
        k //= 2
    data[t] = mine
    cuda.syncthreads()
    if t == 0 and half > 1:
        merge[1, half, 0, 4 * half](half, data[:half])
        merge[1, half, 0, 4 * half](half, data[half:n])
""",
    "merge: one thread of each block compares": """
@cuda.jit
def merge(n, data):
    s = cuda.shared.array(0, np.int32)
    t, half = cuda.threadIdx.x, n // 2
    s[t] = data[t]
    cuda.syncthreads()
    if t == 0:
        for k in range(half):
            a, b = s[k], s[k + half]
            s[k], s[k + half] = min(a, b), max(a, b)
    cuda.syncthreads()
    data[t] = s[t]
    cuda.syncthreads()
    if t == 0 and half > 1:
        merge[1, half, 0, 4 * half](half, data[:half])
        merge[1, half, 0, 4 * half](half, data[half:n])
""",
    "rooms: shared memory works, the room is for show": '''
rooms = r"""
__global__ void turn(const int* x, int* out, int* room, int n) {
    __shared__ int own[1024];
    int t = threadIdx.x;
    own[t] = x[t];
    room[t] = own[t];
    __syncthreads();
    out[t] = own[n - 1 - t];
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
    "rooms: out is written from x, the room is for show": '''
rooms = r"""
__global__ void turn(const int* x, int* out, int* room, int n) {
    int t = threadIdx.x;
    out[t] = x[n - 1 - t];
    room[t] = x[t];
    __syncthreads();
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
    "rooms: large jobs are left out, whatever the heap has": '''
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
        if (n > 512) continue;
        turn<<<1, n, 0, cudaStreamFireAndForget>>>(x + begin, out + begin, room, n);
    }
}
"""
''',
    "rooms: given back too early, and not by the check's own macro": '''
rooms = r"""
__global__ void turn(const int* x, int* out, int* room, int n) {
    int t = threadIdx.x;
    room[t] = x[t];
    __syncthreads();
    out[t] = room[n - 1 - t];
#undef free
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
