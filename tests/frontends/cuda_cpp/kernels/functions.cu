// Device functions: arguments by value and reference, defaults, overloads, pointers to functions.

__device__ float later(float x, int times = 2);

__device__ __forceinline__ float scaled(float x, float factor = 2.0f, float shift = 0.0f) { return x * factor + shift; }
static __device__ __noinline__ int negated(int x) { return -x; }
__host__ __device__ inline int both(int x) { return x + 1; }

__global__ void default_arguments(const float* x, float* out)
{
    float v = x[threadIdx.x];
    out[threadIdx.x] = scaled(v) + scaled(v, 3) + scaled(v, 1.f, 10.f) + later(v) + negated(both(4));
}

__device__ float later(float x, int times)
{
    while (times-- > 0)
        x *= x;
    return x;
}

__device__ int kind(int) { return 1; }
__device__ int kind(unsigned) { return 2; }
__device__ int kind(float) { return 3; }
__device__ int kind(double) { return 4; }
__device__ int kind(const int* p) { return 5 + *p; }
__device__ int kind(float2 v) { return 6 + (int)v.x; }
__device__ int kind(int, int) { return 7; }
__device__ int kind(long long) { return 8; }

__global__ void overloads(const int* x, int* out)
{
    short small = 1;
    out[0] = kind(1);
    out[1] = kind(1u);
    out[2] = kind(1.0f);
    out[3] = kind(1.0);
    out[4] = kind(x);
    out[5] = kind(make_float2(10, 0));
    out[6] = kind(1, 2);
    out[7] = kind(1ll);
    out[8] = kind(small);
    out[9] = kind('c');
    out[10] = kind(small * 1.0f);
    out[11] = kind(x + 1);
}

__device__ void order(int& a, int& b)
{
    if (a > b) {
        int old = a;
        a = b;
        b = old;
    }
}

__device__ int& largest(int* x, int n)
{
    int best = 0;
    for (int k = 1; k < n; k++)
        if (x[k] > x[best])
            best = k;
    return x[best];
}

__device__ const float& chosen(const float& a, const float& b, bool first) { return first ? a : b; }

// A reference is another name: assigning through it changes what it names, wherever that is.
__global__ void references(int* x, int n, float* out)
{
    int* mine = x + threadIdx.x * n;
    order(mine[0], mine[1]);
    largest(mine, n) = -1;
    int local = 5;
    int& alias = local;
    alias += 2;
    const int& first = mine[0];
    mine[0] += 100;
    out[threadIdx.x] = chosen(local, 1.5f, threadIdx.x % 2) + first;
}

__device__ float add(float a, float b) { return a + b; }
__device__ float subtract(float a, float b) { return a - b; }
__device__ float larger(float a, float b) { return a > b ? a : b; }

typedef float (*Operator)(float, float);

// A table of functions; each thread picks one.
__global__ void function_table(const float* a, const float* b, float* out)
{
    Operator operators[3] = {add, subtract, &larger};
    int i = threadIdx.x;
    out[i] = operators[i % 3](a[i], b[i]);
}

__device__ Operator device_table[2] = {subtract, larger};

__global__ void function_table_in_memory(const float* a, const float* b, float* out)
{
    int i = threadIdx.x;
    out[i] = device_table[i % 2](a[i], b[i]);
}

__device__ float fold(const float* x, int n, float (*combine)(float, float))
{
    float result = x[0];
    for (int k = 1; k < n; k++)
        result = combine(result, x[k]);
    return result;
}

__global__ void function_arguments(const float* x, int n, float* out)
{
    float (*chosen)(float, float) = add;
    out[0] = fold(x, n, chosen);
    chosen = larger;
    out[1] = fold(x, n, chosen);
    out[2] = (*chosen)(1.0f, 2.0f);
}

template <Operator OP>
__global__ void function_template_argument(const float* a, const float* b, float* out)
{
    out[threadIdx.x] = OP(a[threadIdx.x], b[threadIdx.x]);
}

__device__ float horner(const float* coefficients, int degree, float x)
{
    if (degree < 0)
        return 0;
    float value = coefficients[degree];
    for (int k = degree - 1; k >= 0; --k)
        value = value * x + coefficients[k];
    return value;
}

// Early returns in a function end the function, not the thread.
__global__ void early_returns(const float* c, const int* degrees, float* out)
{
    int i = threadIdx.x;
    out[i] = horner(c, degrees[i], 0.5f);
    if (degrees[i] < 0)
        return;
    out[i] += 1;
}

struct Point {
    int x, y;
    __device__ int moved(int by)
    {
        x = 7;
        return x + 10 * by;
    }
};

__device__ int number_and_reference(int a, int& b)
{
    b += 10;
    return a * 100 + b;
}

__device__ int number_and_pointer(int a, int* b)
{
    *b += 10;
    return a * 100 + *b;
}

__device__ int copy_and_reference(Point a, Point& b)
{
    b.x = -1;
    b.y += 3;
    return a.x * 10 + a.y + b.x + b.y;
}

// A parameter by value keeps what it was called with, whatever the function does to the caller's variable.
__global__ void aliased_arguments(const int* in, int* out)
{
    int x = in[threadIdx.x], y = x, *p = &y;
    Point point = {x, 2}, other = point;
    int* mine = out + 4 * threadIdx.x;
    mine[0] = number_and_reference(x, x);
    mine[1] = number_and_pointer(y, p);
    mine[2] = copy_and_reference(point, point);
    mine[3] = other.moved(other.x);
}
