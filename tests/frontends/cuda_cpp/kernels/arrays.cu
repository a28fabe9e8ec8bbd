// Arrays: local, shared, of one to three dimensions, with initialisers, handed to functions.

// Every thread counts the digits of its own numbers in an array of its own.
__global__ void local_histogram(const unsigned char* x, int n, int* counts)
{
    int mine[10] = {0};
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        mine[x[k] % 10]++;
    for (int d = 0; d < 10; d++)
        counts[threadIdx.x * 10 + d] = mine[d];
}

// What an initialiser does not name is zero; a missing length is counted.
__global__ void initialisers(float* out)
{
    int partial[6] = {1, 2, 3};
    float weights[] = {0.25f, 0.5f, 0.25f};
    const int table[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int flat[2][2] = {1, 2, 3, 4};
    double cube[2][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7}}};
    char letters[] = "gpu";
    float zeros[4] = {};
    int i = threadIdx.x;
    out[i] = partial[i % 6] + weights[i % 3] + table[i % 2][i % 3] * 10 + flat[i / 2 % 2][i % 2] * 100
        + cube[i & 1][i >> 1 & 1][i >> 2 & 1] * 1000 + zeros[i % 4] + letters[i % 4]
        + sizeof(weights) / sizeof(weights[0]) + sizeof(letters);
}

__device__ float dot(const float a[], const float b[], int n)
{
    float sum = 0.f;
    for (int k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

__device__ void multiply(const float m[][3], const float (&v)[3], float* result)
{
    for (int r = 0; r < 3; r++)
        result[r] = dot(m[r], v, 3);
}

// An array decays to a pointer; a reference to an array keeps its length.
__global__ void arrays_to_functions(const float* in, float* out)
{
    float m[3][3], v[3], w[3];
    for (int r = 0; r < 3; r++) {
        v[r] = in[9 + r] + threadIdx.x;
        for (int c = 0; c < 3; c++)
            m[r][c] = in[3 * r + c];
    }
    multiply(m, v, w);
    for (int r = 0; r < 3; r++)
        out[3 * threadIdx.x + r] = w[r];
}

__global__ void shared_planes(const int* in, int* out)
{
    __shared__ int planes[2][4][8];
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    planes[z][y][x] = in[(z * 4 + y) * 8 + x];
    __syncthreads();
    out[(z * 4 + y) * 8 + x] = planes[1 - z][3 - y][7 - x];
}

#define N 8

__device__ void insert(int sorted[N], int count, int value)
{
    int k = count;
    while (k > 0 && sorted[k - 1] > value) {
        sorted[k] = sorted[k - 1];
        k--;
    }
    sorted[k] = value;
}

// Insertion sort of N numbers in each thread.
__global__ void sorted_rows(int* rows)
{
    int sorted[N];
    int* row = rows + threadIdx.x * N;
    for (int k = 0; k < N; k++)
        insert(sorted, k, row[k]);
    for (int k = 0; k < N; ++k)
        row[k] = sorted[k];
}

struct Cell {
    int key;
    float weight[2];
};

__global__ void array_of_structs_local(const int* keys, float* out)
{
    Cell cells[3] = {{1, {0.5f, 0.25f}}, {2, {1.5f}}};
    cells[2].key = keys[threadIdx.x];
    cells[2].weight[1] = 8;
    cells[2].weight[0] = cells[0].weight[0];
    Cell copy = cells[threadIdx.x % 3];
    float sum = 0;
    for (const Cell& cell : cells)
        sum += cell.key * cell.weight[0] + cell.weight[1];
    out[threadIdx.x] = sum + copy.key;
}

// Range-based loops run over arrays whose length is known.
__global__ void range_loop(int* out)
{
    int primes[] = {2, 3, 5, 7, 11};
    int sum = 0;
    for (int& p : primes)
        p += threadIdx.x;
    for (auto p : primes)
        sum += p;
    out[threadIdx.x] = sum;
}
