// Transposes and products of matrices.

#define TILE_DIM 16
#define BLOCK_ROWS 4

__global__ void copy_tiles(float* odata, const float* idata)
{
    int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y, width = gridDim.x * TILE_DIM;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        odata[(y + j) * width + x] = idata[(y + j) * width + x];
}

__global__ void transpose_naive(float* odata, const float* idata, int width, int height)
{
    int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            odata[x * height + y + j] = idata[(y + j) * width + x];
}

__global__ void transpose_tiled(float* odata, const float* idata, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM];
    int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

// One unused column moves the elements of a column into different banks.
__global__ void transpose_padded(float* odata, const float* idata, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int N)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < N && col < N) {
        float sum = 0.f;
        for (int k = 0; k < N; k++)
            sum += A[row * N + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}

template <int TILE>
__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
        As[ty][tx] = row < M && t * TILE + tx < K ? A[row * K + t * TILE + tx] : 0.0f;
        Bs[ty][tx] = t * TILE + ty < K && col < N ? B[(t * TILE + ty) * N + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

// Each thread keeps 4 x 4 results in registers.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void matmul_registers(int N, int K, float alpha, const float* A, const float* B, float beta, float* C)
{
    __shared__ float As[BK * BM];
    __shared__ float Bs[BK * BN];
    const int row = threadIdx.x / (BN / TN), col = threadIdx.x % (BN / TN), threads = (BM / TM) * (BN / TN);
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float results[TM * TN] = {0.0f}, regM[TM], regN[TN];
    for (int bk = 0; bk < K; bk += BK) {
        for (int k = threadIdx.x; k < BM * BK; k += threads)
            As[(k % BK) * BM + k / BK] = A[(k / BK) * K + k % BK];
        for (int k = threadIdx.x; k < BK * BN; k += threads)
            Bs[k] = B[(k / BN) * N + k % BN];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int dot = 0; dot < BK; ++dot) {
            for (int i = 0; i < TM; ++i)
                regM[i] = As[dot * BM + row * TM + i];
            for (int i = 0; i < TN; ++i)
                regN[i] = Bs[dot * BN + col * TN + i];
            for (int m = 0; m < TM; ++m)
                for (int n = 0; n < TN; ++n)
                    results[m * TN + n] += regM[m] * regN[n];
        }
        __syncthreads();
    }
    for (int m = 0; m < TM; ++m)
        for (int n = 0; n < TN; n += 4) {
            float4* out = reinterpret_cast<float4*>(&C[(row * TM + m) * N + col * TN + n]);
            float4 old = *out;
            old.x = alpha * results[m * TN + n] + beta * old.x;
            old.y = alpha * results[m * TN + n + 1] + beta * old.y;
            old.z = alpha * results[m * TN + n + 2] + beta * old.z;
            old.w = alpha * results[m * TN + n + 3] + beta * old.w;
            *out = old;
        }
}

typedef struct {
    int width, height, stride;
    float* elements;
} Matrix;

__device__ float get(const Matrix A, int row, int col) { return A.elements[row * A.stride + col]; }
__device__ void set(Matrix A, int row, int col, float value) { A.elements[row * A.stride + col] = value; }

#define BLOCK_SIZE 8

__device__ Matrix sub(Matrix A, int row, int col)
{
    Matrix part;
    part.width = BLOCK_SIZE;
    part.height = BLOCK_SIZE;
    part.stride = A.stride;
    part.elements = &A.elements[A.stride * BLOCK_SIZE * row + BLOCK_SIZE * col];
    return part;
}

// Sub-matrices are structs with a pointer into the matrix.
__global__ void matmul_structs(Matrix A, Matrix B, Matrix C)
{
    Matrix Csub = sub(C, blockIdx.y, blockIdx.x);
    float value = 0;
    int row = threadIdx.y, col = threadIdx.x;
    for (int m = 0; m < A.width / BLOCK_SIZE; ++m) {
        Matrix Asub = sub(A, blockIdx.y, m), Bsub = sub(B, m, blockIdx.x);
        __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
        __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
        As[row][col] = get(Asub, row, col);
        Bs[row][col] = get(Bsub, row, col);
        __syncthreads();
        for (int e = 0; e < BLOCK_SIZE; ++e)
            value += As[row][e] * Bs[e][col];
        __syncthreads();
    }
    set(Csub, row, col, value);
}

// y = A x: a block for each row.
__global__ void matrix_vector(const double* A, const double* x, double* y, int columns)
{
    __shared__ double partial[64];
    const double* row = A + (size_t)blockIdx.x * columns;
    double sum = 0;
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        sum += row[c] * x[c];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x >> 1; half; half >>= 1) {
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (!threadIdx.x)
        y[blockIdx.x] = *partial;
}

// Gaussian elimination: one launch for each pivot.
__global__ void eliminate(double* a, int n, int pivot)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || row == pivot)
        return;
    double factor = a[row * (n + 1) + pivot] / a[pivot * (n + 1) + pivot];
    for (int c = pivot; c <= n; c++)
        a[row * (n + 1) + c] -= factor * a[pivot * (n + 1) + c];
}
