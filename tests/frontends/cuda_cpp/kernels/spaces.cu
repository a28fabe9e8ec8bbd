// Memory spaces: shared, static and carved; constant; variables of the device.

__constant__ float coefficients[8];
__constant__ int shift = 5;

struct Settings {
    float scale;
    int offset[2];
};
__constant__ Settings settings;

__device__ int counter = 10;
__device__ float history[4] = {1.0f, 2.0f};
__device__ unsigned long long total;
__device__ int* results;
__device__ const int lookup[2][3] = {{1, 2, 3}, {4, 5, 6}};

__global__ void polynomial(const float* x, float* y, int degree)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = coefficients[degree];
    for (int k = degree - 1; k >= 0; --k)
        value = fmaf(value, x[i], coefficients[k]);
    y[i] = value;
}

__global__ void constant_struct(const int* x, float* out)
{
    int i = threadIdx.x;
    out[i] = settings.scale * (x[i] + settings.offset[i % 2]) + (1 << shift) + lookup[i % 2][i % 3];
}

__global__ void device_variables(int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&counter, 1);
        atomicAdd(&total, (unsigned long long)i << 32);
        if (i < 4)
            history[i] += 0.5f * i;
    }
}

__global__ void through_device_pointer(int n)
{
    if (threadIdx.x < n)
        results[threadIdx.x] = threadIdx.x * 3;
}

__global__ void point_device_pointer(int* memory) { results = memory; }

__global__ void reverse_static(int* d, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, mirrored = n - t - 1;
    s[t] = d[t];
    __syncthreads();
    d[t] = s[mirrored];
}

extern __shared__ int s[];

__global__ void reverse_dynamic(int* d, int n)
{
    int t = threadIdx.x, mirrored = n - t - 1;
    s[t] = d[t];
    __syncthreads();
    d[t] = s[mirrored];
}

// One dynamic array, carved into three of different types.
__global__ void carved(const float* in, double* out, int n)
{
    extern __shared__ unsigned char storage[];
    double* sums = (double*)storage;
    float* values = (float*)&sums[n];
    char* marks = (char*)(values + n);
    int i = threadIdx.x;
    values[i] = in[i];
    marks[i] = in[i] > 0;
    __syncthreads();
    sums[i] = 0;
    for (int k = 0; k < n; k++)
        if (marks[k])
            sums[i] += values[k] * (i + 1);
    out[i] = sums[i];
}

template <typename T>
__global__ void aligned_storage(const T* in, T* out)
{
    extern __shared__ __align__(sizeof(double)) unsigned char raw[];
    T* tile = reinterpret_cast<T*>(raw);
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[(threadIdx.x + 1) % blockDim.x];
}

// One value for the block: thread 0 writes, all read after the barrier.
__global__ void broadcast(const int* x, int* out)
{
    __shared__ int first, last;
    __shared__ struct { int low, high; } range;
    if (threadIdx.x == 0) {
        first = x[blockIdx.x * blockDim.x];
        range.low = 1;
    }
    if (threadIdx.x == blockDim.x - 1) {
        last = x[blockIdx.x * blockDim.x + threadIdx.x];
        range.high = 20;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = first - last + range.high - range.low;
}

// Device functions work on shared memory that the kernel hands them.
__device__ int block_sum(int value, int* scratch)
{
    scratch[threadIdx.x] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half; half >>= 1) {
        if (threadIdx.x < half)
            scratch[threadIdx.x] += scratch[threadIdx.x + half];
        __syncthreads();
    }
    int sum = scratch[0];
    __syncthreads();
    return sum;
}

__global__ void shared_by_functions(const int* x, int* out)
{
    __shared__ int scratch[64];
    int sum = block_sum(x[threadIdx.x], scratch);
    int squares = block_sum(x[threadIdx.x] * x[threadIdx.x], scratch);
    out[threadIdx.x] = squares - sum;
}

// A function has its shared memory once, wherever it is called; by itself, and made from a template.
__device__ int* board()
{
    __shared__ int cells[64];
    return cells;
}

template <class T> __device__ T turned(T value)
{
    __shared__ T kept[64];
    kept[threadIdx.x] = value;
    __syncthreads();
    T found = kept[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    return found;
}

__global__ void shared_in_functions(const int* x, int* out)
{
    board()[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    int other = board()[blockDim.x - 1 - threadIdx.x];
    out[threadIdx.x] = other + turned(turned(x[threadIdx.x]) * 2) * 1000;
}

// Tables of texts begin anew in each thread: where texts lie differs from kernel to kernel.
struct Entry { const char* name; int n; };
__constant__ const char* names[] = {"abc", "xyz"};
__constant__ Entry entries[2] = {{"one", 1}, {"two", 2}};
__constant__ float* unset = nullptr;
static const char* const words[] = {"hello", "world"};

__global__ void tables_of_texts(int* out)
{
    static const char* const letters[] = {"p", "q"};
    int t = threadIdx.x % 2;
    out[threadIdx.x] = names[t][0] + entries[t].name[1] * entries[1].n + words[t][1] - letters[t][0] + !unset;
}

// Matrix rows in constant memory are read at one address by all lanes of a warp.
__constant__ int kernel_matrix[3][3] = {{0, 1, 0}, {1, -4, 1}, {0, 1, 0}};

__global__ void laplacian(const int* image, int* out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    int sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += kernel_matrix[dy + 1][dx + 1] * image[(y + dy) * width + x + dx];
    out[y * width + x] = sum;
}
