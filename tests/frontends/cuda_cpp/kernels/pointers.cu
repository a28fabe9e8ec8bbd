// Pointers: arithmetic, walks, differences, casts, pointers to pointers.
#include <cstdint>
#include <cstddef>

__global__ void pointer_walk(const float* x, int n, float* sums)
{
    int stride = blockDim.x * gridDim.x;
    float sum = 0.0f;
    for (const float *p = x + blockIdx.x * blockDim.x + threadIdx.x, *end = x + n; p < end; p += stride)
        sum += *p;
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The length of each word in a table of words of `width` bytes.
__global__ void word_lengths(const char* words, int width, int* lengths)
{
    const char* start = words + threadIdx.x * width;
    const char* s = start;
    while (*s)
        ++s;
    lengths[threadIdx.x] = s - start;
}

__global__ void copy_words(char* to, const char* from, int width)
{
    to += threadIdx.x * width;
    from += threadIdx.x * width;
    while ((*to++ = *from++) != '\0')
        ;
}

__device__ const int* lower_bound(const int* first, const int* last, int value)
{
    while (first != last) {
        const int* middle = first + (last - first) / 2;
        if (*middle < value)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

__global__ void pointer_difference(const int* sorted, int n, const int* keys, int* ranks)
{
    const int* found = lower_bound(sorted, sorted + n, keys[threadIdx.x]);
    ptrdiff_t rank = found - sorted;
    ranks[threadIdx.x] = (int)rank;
}

// Two buffers change roles in every round: pointers are swapped, not data.
__global__ void swapped_pointers(float* data, float* scratch, int rounds)
{
    int i = threadIdx.x, n = blockDim.x;
    float* from = data;
    float* to = scratch;
    for (int round = 0; round < rounds; ++round) {
        float left = i > 0 ? from[i - 1] : 0.0f, right = i < n - 1 ? from[i + 1] : 0.0f;
        to[i] = 0.25f * left + 0.5f * from[i] + 0.25f * right;
        __syncthreads();
        float* previous = from;
        from = to;
        to = previous;
    }
    if (from != data)
        data[i] = from[i];
}

__global__ void negative_indices(const float* x, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i < n - 1) {
        const float* here = &x[i];
        out[i] = here[1] - here[-1];
    }
}

// One 16-byte load in place of two of 8 bytes.
__global__ void double2_casts(const double* p, double* sums, int pairs)
{
    int k = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (k < 2 * pairs) {
        double2 both = *(double2*)&p[k];
        sums[k / 2] = both.x + both.y;
    }
}

__global__ void float4_reinterpreted(float* x, int n, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 v = reinterpret_cast<float4*>(x)[i];
        v.x *= factor;
        v.y *= factor;
        v.z *= factor;
        v.w *= factor;
        reinterpret_cast<float4*>(x)[i] = v;
    }
}

// A pitch is in bytes: rows are reached through char*.
__global__ void pitched_rows(char* base, size_t pitch, int width, int height)
{
    int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < height && c < width) {
        float* row = (float*)((char*)base + r * pitch);
        row[c] += 100.0f * r + c;
    }
}

__global__ void bytes_of_words(const unsigned* words, unsigned char* bytes)
{
    const unsigned char* p = (const unsigned char*)&words[threadIdx.x];
    for (int k = 0; k < 4; k++)
        bytes[4 * threadIdx.x + k] = p[3 - k];
}

__global__ void void_pointers(void* out, const void* in, int kind)
{
    int i = threadIdx.x;
    if (kind == 0)
        static_cast<int*>(out)[i] = static_cast<const int*>(in)[i] + 1;
    else
        ((float*)out)[i] = ((const float*)in)[i] * 0.5f;
}

__device__ void swap(int* a, int* b)
{
    int old = *a;
    *a = *b;
    *b = old;
}

__device__ void minimum_maximum(const int* x, int n, int* low, int* high)
{
    *low = *high = x[0];
    for (int k = 1; k < n; k++) {
        if (x[k] < *low) *low = x[k];
        if (x[k] > *high) *high = x[k];
    }
}

__global__ void out_parameters(const int* x, int n, int* spans)
{
    int low, high;
    minimum_maximum(x + threadIdx.x * n, n, &low, &high);
    swap(&low, &high);
    spans[threadIdx.x] = low - high;
}

// A table of rows, made on the device, then read through two stars.
__global__ void make_rows(float** rows, float* data, int pitch)
{
    rows[threadIdx.x] = data + threadIdx.x * pitch;
}

__global__ void sum_rows(float** rows, int n, float* sums)
{
    float* row = rows[threadIdx.x];
    sums[threadIdx.x] = 0;
    for (int c = 0; c < n; c++)
        sums[threadIdx.x] += rows[threadIdx.x][c] * *(row + c);
}

// An array of pointers, each to another row.
__global__ void local_pointer_table(const float* a, const float* b, const float* c, float* out)
{
    const float* tables[3] = {a, b, c};
    float sum = 0.f;
    for (int k = 0; k < 3; k++)
        sum += (k + 1) * tables[k][threadIdx.x];
    out[threadIdx.x] = sum + *tables[threadIdx.x % 3];
}

struct Matrix {
    int rows, columns;
    float* elements;
};

__global__ void pointers_in_structs(Matrix a, Matrix b, Matrix c)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= c.rows || column >= c.columns)
        return;
    float value = 0;
    for (int k = 0; k < a.columns; ++k)
        value += a.elements[row * a.columns + k] * b.elements[k * b.columns + column];
    c.elements[row * c.columns + column] = value;
}

// The same statement reads global, shared or local memory: the pointer says which.
__global__ void generic_pointers(const int* global, int* out)
{
    __shared__ int shared[64];
    int local[2] = {1000 + (int)threadIdx.x, 0};
    shared[threadIdx.x] = 100 + threadIdx.x;
    __syncthreads();
    const int* p;
    if (threadIdx.x % 3 == 0)
        p = &global[threadIdx.x];
    else if (threadIdx.x % 3 == 1)
        p = &shared[63 - threadIdx.x];
    else
        p = local;
    out[threadIdx.x] = *p;
}

__global__ void optional_output(const int* x, int* doubled, int* tripled)
{
    int i = threadIdx.x;
    if (doubled)
        doubled[i] = 2 * x[i];
    if (tripled != nullptr)
        tripled[i] = 3 * x[i];
}

__global__ void alignment(const float* x, int* aligned)
{
    uintptr_t address = (uintptr_t)(x + threadIdx.x);
    aligned[threadIdx.x] = address % 16 == 0;
}

__global__ void qualified(const int* __restrict__ in, volatile int* through, int* const __restrict__ out)
{
    int i = threadIdx.x;
    through[i] = in[i];
    const volatile int* again = through;
    out[i] = again[i] + *const_cast<int*>(&in[i]);
}

// A pointer to an array of 3 floats steps 3 floats at a time.
__global__ void pointer_to_array(float (*points)[3], float* lengths)
{
    float(*p)[3] = points + threadIdx.x;
    float squared = 0;
    for (int k = 0; k < 3; k++)
        squared += (*p)[k] * points[threadIdx.x][k];
    lengths[threadIdx.x] = squared;
}

__global__ void reversed_in_place(int* x, int n)
{
    for (int *low = x + threadIdx.x, *high = x + n - 1 - threadIdx.x; low < high; low += blockDim.x, high -= blockDim.x) {
        int old = *low;
        *low = *high;
        *high = old;
    }
}
