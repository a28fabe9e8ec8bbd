// Ordinary kernels, whose times on a GPU are on record (kernels.json): what a model of time is judged by.
// Read by nvcc and by gpusim alike. Sizes and arguments: timed.py.

extern "C" {

// moving data ------------------------------------------------------------------------------------------------

__global__ void copy(float* to, const float* from, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

__global__ void copy_in_fours(float4* to, const float4* from, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

__global__ void copy_looping(float* to, const float* from, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = from[i];
}

__global__ void copy_strided(float* to, const float* from, int n, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i * stride];
}

__global__ void copy_shifted(float* to, const float* from, int n, int shift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i + shift];
}

__global__ void gather(float* to, const float* from, const int* where, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[where[i]];
}

__global__ void saxpy(float* y, const float* x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void transpose_plain(float* to, const float* from, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) to[x * n + y + j] = from[(y + j) * n + x];
}

__global__ void transpose_tiled(float* to, const float* from, int n) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = from[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) to[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void transpose_padded(float* to, const float* from, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = from[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) to[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// summing up -------------------------------------------------------------------------------------------------

__global__ void reduce_interleaved(float* sums, const float* x) {
    __shared__ float part[256];
    int t = threadIdx.x;
    part[t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        if (t % (2 * step) == 0) part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

__global__ void reduce_sequential(float* sums, const float* x) {
    __shared__ float part[256];
    int t = threadIdx.x;
    part[t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step) part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

__global__ void reduce_by_shuffles(float* total, const float* x, int n) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

__global__ void scan_blocks(float* to, const float* from) {
    __shared__ float part[512];
    int t = threadIdx.x, i = blockIdx.x * 512 + t;
    float mine = from[i];
    part[t] = mine;
    for (int step = 1; step < 512; step *= 2) {
        __syncthreads();
        float other = t >= step ? part[t - step] : 0;
        __syncthreads();
        mine += other;
        part[t] = mine;
    }
    to[i] = mine;
}

__global__ void histogram_global(int* bins, const int* x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[x[i]], 1);
}

__global__ void histogram_shared(int* bins, const int* x, int n) {
    __shared__ int part[256];
    part[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&part[x[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], part[threadIdx.x]);
}

// products ---------------------------------------------------------------------------------------------------

__global__ void product_plain(float* c, const float* a, const float* b, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

__global__ void product_tiled(float* c, const float* a, const float* b, int n) {
    __shared__ float p[16][16], q[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        p[ty][tx] = a[y * n + k + tx];
        q[ty][tx] = b[(k + ty) * n + x];
        __syncthreads();
        for (int j = 0; j < 16; j++) sum += p[ty][j] * q[j][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

__global__ void row_times_vector(float* y, const float* a, const float* x, int n) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int k = lane; k < n; k += 32) sum += a[row * n + k] * x[k];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0) y[row] = sum;
}

__global__ void thread_times_vector(float* y, const float* a, const float* x, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * x[k];
    y[row] = sum;
}

// neighbours -------------------------------------------------------------------------------------------------

__global__ void stencil_line(float* to, const float* from, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 3 || i >= n - 3) return;
    float sum = 0;
    for (int d = -3; d <= 3; d++) sum += from[i + d];
    to[i] = sum / 7;
}

__global__ void stencil_line_shared(float* to, const float* from, int n) {
    __shared__ float part[262];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[t + 3] = from[i];
    if (t < 3) {
        part[t] = i >= 3 ? from[i - 3] : 0;
        part[t + 259] = i + 256 < n ? from[i + 256] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int d = 0; d <= 6; d++) sum += part[t + d];
    to[i] = sum / 7;
}

__global__ void stencil_plane(float* to, const float* from, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) return;
    to[y * n + x] = 0.2f * (from[y * n + x] + from[y * n + x - 1] + from[y * n + x + 1] + from[(y - 1) * n + x] + from[(y + 1) * n + x]);
}

__global__ void bodies(float* force, const float* x, int n) {
    __shared__ float part[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float mine = x[i], sum = 0;
    for (int first = 0; first < n; first += 256) {
        part[threadIdx.x] = x[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float d = part[j] - mine;
            sum += d * rsqrtf(d * d + 0.01f);
        }
        __syncthreads();
    }
    force[i] = sum;
}

// deciding ---------------------------------------------------------------------------------------------------

__global__ void search(int* found, const int* sorted, const int* keys, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    int low = 0, high = n, key = keys[i];
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < key) low = middle + 1;
        else high = middle;
    }
    found[i] = low;
}

__global__ void mandelbrot(int* rounds, int width, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = 3.0f * x / width - 2.0f, cy = 3.0f * y / width - 1.5f, a = 0, b = 0;
    int k = 0;
    for (; k < most && a * a + b * b < 4; k++) {
        float next = a * a - b * b + cx;
        b = 2 * a * b + cy;
        a = next;
    }
    rounds[y * width + x] = k;
}

__global__ void sort_blocks(int* x) {
    __shared__ int part[512];
    int t = threadIdx.x;
    part[t] = x[blockIdx.x * 512 + t];
    for (int size = 2; size <= 512; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            int other = t ^ step;
            if (other > t) {
                int a = part[t], b = part[other];
                if ((a > b) == ((t & size) == 0)) {
                    part[t] = b;
                    part[other] = a;
                }
            }
        }
    __syncthreads();
    x[blockIdx.x * 512 + t] = part[t];
}

__global__ void sparse_rows(float* y, const int* starts, const int* columns, const float* values, const float* x, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int k = starts[row]; k < starts[row + 1]; k++) sum += values[k] * x[columns[k]];
    y[row] = sum;
}

// chains -----------------------------------------------------------------------------------------------------

__global__ void chain_of_products(float* x, float a, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    for (int k = 0; k < rounds; k++) v = a * v + 0.5f;
    x[i] = v;
}

__global__ void four_chains_of_products(float* x, float a, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float p = x[i], q = p + 1, r = p + 2, s = p + 3;
    for (int k = 0; k < rounds; k++) {
        p = a * p + 0.5f;
        q = a * q + 0.5f;
        r = a * r + 0.5f;
        s = a * s + 0.5f;
    }
    x[i] = p + q + r + s;
}

__global__ void chain_of_doubles(double* x, double a, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = x[i];
    for (int k = 0; k < rounds; k++) v = a * v + 0.5;
    x[i] = v;
}

__global__ void chain_of_roots(float* x, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    for (int k = 0; k < rounds; k++) v = rsqrtf(v + 1.0f);
    x[i] = v;
}

__global__ void chain_of_loads(int* last, const int* next, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = i;
    for (int k = 0; k < rounds; k++) at = next[at];
    last[i] = at;
}

__global__ void chain_of_barriers(float* x, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    for (int k = 0; k < rounds; k++) {
        v = v * 0.5f + 1.0f;
        __syncthreads();
    }
    x[i] = v;
}

__global__ void chain_with_room(float* x, float a, int rounds) {
    extern __shared__ float room[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    room[threadIdx.x] = x[i];
    float v = room[threadIdx.x];
    for (int k = 0; k < rounds; k++) v = a * v + 0.5f;
    x[i] = v;
}

}
