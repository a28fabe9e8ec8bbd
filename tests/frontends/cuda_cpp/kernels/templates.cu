// Templates of functions and structs, constant expressions.

template <typename T>
__device__ T larger(T a, T b) { return a < b ? b : a; }

template <typename T, int N>
__global__ void axpy(T a, const T* x, T* y)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * N;
#pragma unroll
    for (int k = 0; k < N; ++k)
        y[i + k] += a * x[i + k];
}

__global__ void deduced(const int* x, const double* y, double* out)
{
    int i = threadIdx.x;
    out[i] = larger(x[i], 3) + larger(y[i], 0.5) + larger<double>(x[i], y[i]);
}

template <typename T> struct Limits;
template <> struct Limits<int> {
    static constexpr int lowest = -2147483647 - 1;
};
template <> struct Limits<float> {
    static __device__ float start() { return -1e30f; }
    static constexpr float lowest = -1e30f;
};

template <class T>
__global__ void specialised(const T* x, int n, T* out)
{
    T best = Limits<T>::lowest;
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        best = larger(best, x[k]);
    out[threadIdx.x] = best;
}

template <typename T>
__device__ T doubled(T x) { return x + x; }
template <>
__device__ float doubled<float>(float x) { return x * 2 + 1000; }

__global__ void function_specialisation(double* out)
{
    out[0] = doubled(3);
    out[1] = doubled(3.0f);
    out[2] = doubled<float>(4);
    out[3] = doubled(2.5);
}

template <typename T, int ROWS, int COLUMNS = ROWS>
struct Small {
    T data[ROWS][COLUMNS];
    __device__ T& operator()(int r, int c) { return data[r][c]; }
    __device__ const T& operator()(int r, int c) const { return data[r][c]; }
    static constexpr int size = ROWS * COLUMNS;

    template <int K>
    __device__ Small<T, ROWS, K> operator*(const Small<T, COLUMNS, K>& other) const
    {
        Small<T, ROWS, K> product;
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < K; c++) {
                product(r, c) = T(0);
                for (int k = 0; k < COLUMNS; k++)
                    product(r, c) += (*this)(r, k) * other(k, c);
            }
        return product;
    }
};

using Small2x3 = Small<int, 2, 3>;
template <typename T> using Square2 = Small<T, 2>;

__global__ void struct_templates(const int* in, int* out)
{
    Small2x3 a;
    Small<int, 3, 2> b;
    for (int k = 0; k < Small2x3::size; k++) {
        a(k / 3, k % 3) = in[k] + threadIdx.x;
        b(k / 2, k % 2) = in[6 + k];
    }
    Square2<int> c = a * b;
    for (int k = 0; k < c.size; k++)
        out[threadIdx.x * 4 + k] = c(k / 2, k % 2);
}

constexpr __host__ __device__ int power(int base, int exponent)
{
    int result = 1;
    for (int k = 0; k < exponent; k++)
        result *= base;
    return result;
}

constexpr int TILE = power(2, 5);
__device__ constexpr float WEIGHTS[3] = {0.25f, 0.5f, 0.25f};

__global__ void constant_expressions(const float* x, float* out)
{
    __shared__ float tile[TILE + 2];
    static_assert(TILE == 32, "a warp");
    const int i = threadIdx.x;
    tile[i + 1] = x[i];
    if (i == 0)
        tile[0] = tile[TILE + 1] = 0;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += WEIGHTS[k] * tile[i + k];
    out[i] = sum;
}

template <int N>
struct Sum {
    static constexpr int value = N + Sum<N - 1>::value;
};
template <>
struct Sum<0> {
    static constexpr int value = 0;
};

template <int N>
__device__ int unrolled(const int* x)
{
    if constexpr (N == 0)
        return 0;
    else
        return x[N - 1] + unrolled<N - 1>(x);
}

// Recursion over template arguments ends when the compiler has reached zero.
__global__ void template_recursion(const int* x, int* out)
{
    out[threadIdx.x] = unrolled<4>(x + threadIdx.x) + Sum<10>::value;
}

struct Plus {
    static constexpr int identity = 0;
    template <typename T>
    __device__ T operator()(T a, T b) const { return a + b; }
};

struct Maximum {
    static constexpr int identity = -1000000;
    __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

template <class Operation>
__global__ void reduce_with(const int* x, int n, int* out, Operation combine)
{
    __shared__ int partial[64];
    int value = Operation::identity;
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        value = combine(value, x[k]);
    partial[threadIdx.x] = value;
    __syncthreads();
    for (int offset = 32; offset > 0; offset /= 2) {
        if (threadIdx.x < offset)
            partial[threadIdx.x] = combine(partial[threadIdx.x], partial[threadIdx.x + offset]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *out = partial[0];
}

template <bool INCLUSIVE, unsigned WIDTH>
__global__ void flags(const int* x, int* out)
{
    int sum = 0;
    for (unsigned k = 0; k < WIDTH; k++) {
        if (INCLUSIVE)
            sum += x[threadIdx.x * WIDTH + k];
        out[threadIdx.x * WIDTH + k] = sum;
        if (!INCLUSIVE)
            sum += x[threadIdx.x * WIDTH + k];
    }
}

template <typename T>
struct Span {
    typedef T value_type;
    T* begin_;
    int size_;
    __device__ T* begin() const { return begin_; }
    __device__ T* end() const { return begin_ + size_; }
};

template <class Range>
__device__ typename Range::value_type total(const Range& range)
{
    typename Range::value_type sum = 0;
    for (auto value : range)
        sum += value;
    return sum;
}

__global__ void dependent_types(float* x, int n, float* out)
{
    Span<float> span{x + threadIdx.x * n, n};
    out[threadIdx.x] = total(span);
}

template <typename First, typename Second>
struct Pair {
    First first;
    Second second;
};

template <typename First, typename Second>
__device__ Pair<First, Second> make_pair(First first, Second second)
{
    Pair<First, Second> pair = {first, second};
    return pair;
}

__global__ void pairs(const float* x, Pair<float, int>* out)
{
    out[threadIdx.x] = make_pair(x[threadIdx.x], (int)threadIdx.x);
}

// A scalar's T() is an argument like any other, and not the default of a parameter.
template <typename T>
__device__ T clamped(T value, T low = T(-2), T high = T(2))
{
    return value < low ? low : high < value ? high : value;
}

template <typename T, typename Combine>
__device__ T folded(const T* x, int n, Combine combine, T start)
{
    for (int i = 0; i < n; i++)
        start = combine(start, x[i]);
    return start;
}

template <typename T>
__global__ void zeros_as_arguments(const T* x, int n, T* out)
{
    out[0] = clamped(x[0]);
    out[1] = clamped(x[1], T());
    out[2] = clamped(x[2], T{}, T(1));
    out[3] = folded(x, n, [](T a, T b) { return a + b; }, T());
}

// An explicit instantiation names types that the host asks for.
template __global__ void axpy<float, 2>(float, const float*, float*);

// T() is a value that is given, here a zero; what a call leaves out is the default.
template <typename T>
__device__ T difference(T a, T b = 7)
{
    return a - b;
}

template <typename T>
__global__ void values_of_no_name(T* out)
{
    out[0] = difference(T());
    out[1] = difference(T(), T());
    out[2] = difference(T(5), T{});
    out[3] = difference(int(), 2);
}
