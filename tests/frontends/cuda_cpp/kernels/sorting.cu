// Sorting networks and searches.

__global__ void bitonic_step(float* values, int j, int k)
{
    unsigned int i = threadIdx.x + blockDim.x * blockIdx.x, partner = i ^ j;
    if (partner > i) {
        bool ascending = (i & k) == 0;
        if (ascending ? values[i] > values[partner] : values[i] < values[partner]) {
            float temp = values[i];
            values[i] = values[partner];
            values[partner] = temp;
        }
    }
}

__device__ inline void comparator(int& keyA, int& valA, int& keyB, int& valB, bool ascending)
{
    if ((keyA > keyB) == ascending) {
        int t = keyA;
        keyA = keyB;
        keyB = t;
        t = valA;
        valA = valB;
        valB = t;
    }
}

// Keys and their values, sorted in shared memory.
__global__ void bitonic_shared(int* keys, int* values)
{
    __shared__ int k[128], v[128];
    const unsigned n = 2 * blockDim.x;
    k[threadIdx.x] = keys[threadIdx.x];
    v[threadIdx.x] = values[threadIdx.x];
    k[threadIdx.x + blockDim.x] = keys[threadIdx.x + blockDim.x];
    v[threadIdx.x + blockDim.x] = values[threadIdx.x + blockDim.x];
    for (unsigned size = 2; size <= n; size <<= 1)
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            bool ascending = (threadIdx.x & (size / 2)) == 0;
            comparator(k[pos], v[pos], k[pos + stride], v[pos + stride], ascending);
        }
    __syncthreads();
    keys[threadIdx.x] = k[threadIdx.x];
    values[threadIdx.x] = v[threadIdx.x];
    keys[threadIdx.x + blockDim.x] = k[threadIdx.x + blockDim.x];
    values[threadIdx.x + blockDim.x] = v[threadIdx.x + blockDim.x];
}

__global__ void odd_even_sort(int* a, int n)
{
    int tid = threadIdx.x;
    for (int phase = 0; phase < n; ++phase) {
        int left = 2 * tid + (phase & 1);
        if (left + 1 < n && a[left] > a[left + 1]) {
            int swap = a[left];
            a[left] = a[left + 1];
            a[left + 1] = swap;
        }
        __syncthreads();
    }
}

// Each element counts those before it: its place in the sorted order.
__global__ void rank_sort(const float* in, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int rank = 0;
    for (int k = 0; k < n; k++)
        rank += in[k] < in[i] || (in[k] == in[i] && k < i);
    out[rank] = in[i];
}

// Merge path: every thread finds its cut of both lists by bisection.
__global__ void merge(const int* a, int na, const int* b, int nb, int* out)
{
    int per = (na + nb + blockDim.x - 1) / blockDim.x;
    int diagonal = min((int)threadIdx.x * per, na + nb);
    int low = max(0, diagonal - nb), high = min(diagonal, na);
    while (low < high) {
        int middle = (low + high) >> 1;
        if (a[middle] <= b[diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    int i = low, j = diagonal - low;
    for (int k = diagonal; k < min(diagonal + per, na + nb); k++)
        out[k] = j >= nb || (i < na && a[i] <= b[j]) ? a[i++] : b[j++];
}

// Where does the pattern occur? Every thread tries one place of the text.
__global__ void string_search(const char* text, int length, const char* pattern, int* found, int* count)
{
    int start = blockIdx.x * blockDim.x + threadIdx.x;
    if (start >= length)
        return;
    const char *t = text + start, *p = pattern;
    while (*p && t < text + length && *t == *p)
        ++t, ++p;
    if (!*p)
        found[atomicAdd(count, 1)] = start;
}
