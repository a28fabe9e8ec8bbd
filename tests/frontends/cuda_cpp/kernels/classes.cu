// Classes as C++ programs have them: bases, members that start by themselves, stacks, traits, generic containers.

struct Range {
    int low = 1;
    int high = 2;
};

struct Settings {
    Range range;
    int unset;
};

struct Buffer {
    int items[2];
    Range range;
    Range ranges[3];
    int count = 4;
};

// A member starts with the value that stands with it, however deep it is.
__global__ void nested_defaults(int* out)
{
    Settings settings;
    Buffer buffer, empty = {};
    Buffer buffers[2];
    int i = threadIdx.x;
    out[i] = settings.range.high + 10 * buffer.range.low + 100 * buffer.ranges[i % 3].high + 1000 * buffer.count
        + 10000 * buffers[i % 2].ranges[1].low + 100000 * (empty.count + empty.items[i % 2] + empty.range.low);
}

struct Counter {
    int value;
    __device__ Counter() : value(7) {}
    __device__ explicit Counter(int start) : value(start) {}
    __device__ int twice() const { return 2 * value; }
};

struct Named : Counter {
    int name;
    Counter inner;
    __device__ Named(int n) : name(n) {}
    __device__ Named(int n, int start) : Counter(start), name(n), inner(start + 1) {}
    __device__ int all() const { return twice() * 100 + name * 10 + inner.value; }
};

// What a constructor does not name is made by the constructors of the base and of the members.
__global__ void inheritance(int* out)
{
    int i = threadIdx.x;
    Named first(i), second(i, 3);
    Counter& base = second;
    base.value += 1;
    Counter copy = second;
    copy.value = 0;
    out[i] = first.all() * 1000 + second.all() + copy.value;
}

struct Stack {
    static constexpr int CAPACITY = 8;
    int items[CAPACITY];
    int top = 0;
    __device__ bool push(int item)
    {
        if (top == CAPACITY)
            return false;
        items[top++] = item;
        return true;
    }
    __device__ int pop() { return top ? items[--top] : -1; }
    __device__ bool empty() const { return top == 0; }
};

// Depth first through the tree whose node k has the children 2k and 2k + 1, without recursion.
__global__ void stack(const int* limits, int* sums)
{
    Stack open;
    int sum = 0, limit = limits[threadIdx.x];
    open.push(1);
    while (!open.empty()) {
        int node = open.pop();
        sum += node;
        if (2 * node <= limit)
            open.push(2 * node);
        if (2 * node + 1 <= limit)
            open.push(2 * node + 1);
    }
    for (int k = 0; open.push(k); k++)
        ;
    sums[threadIdx.x] = sum * 100 + open.pop();
}

struct Outer {
    struct Inner {
        float f;
    } inner;
    enum Kind { A = 4, B } kind;
};

namespace algebra {
template <int N>
struct Polynomial {
    float c[N];
    __device__ float at(float x) const
    {
        float value = 0;
        for (int k = N - 1; k >= 0; --k)
            value = value * x + c[k];
        return value;
    }
    template <int M>
    __device__ Polynomial<N + M> followed(const Polynomial<M>& other) const
    {
        Polynomial<N + M> both;
        for (int k = 0; k < N; k++)
            both.c[k] = c[k];
        for (int k = 0; k < M; k++)
            both.c[N + k] = other.c[k];
        return both;
    }
};
}

// Types inside structs and templates inside namespaces, named from outside.
__global__ void qualified_types(const float* x, float* out)
{
    algebra::Polynomial<2> p = {{1, 2}};
    algebra::Polynomial<3> q = {{3, 4, 5}};
    Outer::Inner inner = {0.5f};
    Outer outer;
    outer.inner = inner;
    outer.kind = Outer::B;
    Outer::Kind kind = Outer::A;
    out[threadIdx.x] = p.followed(q).at(x[threadIdx.x]) + outer.inner.f + outer.kind * 10 + kind;
}

template <typename T>
struct Traits {
    static const int id = 0;
    typedef T type;
};
template <>
struct Traits<float> {
    static const int id = 1;
    typedef double type;
};
template <typename T>
struct Traits<T*> {
    static const int id = 2;
    typedef T type;
};

__global__ void partial_specialisation(const int* x, float* out)
{
    Traits<int*>::type whole = x[threadIdx.x];
    typename Traits<float>::type wide = 0.5;
    out[threadIdx.x] = Traits<int>::id + Traits<float>::id * 10 + Traits<char*>::id * 100 + whole + wide;
}

class Vector {
public:
    float x, y, z;
    __host__ __device__ Vector() : x(0), y(0), z(0) {}
    __device__ Vector(float all) : x(all), y(all), z(all) {}
    __device__ Vector(float a, float b, float c) : x(a), y(b), z(c) {}
    __device__ Vector operator-() const { return Vector(-x, -y, -z); }
    __device__ Vector& operator++()
    {
        x += 1;
        return *this;
    }
    __device__ Vector operator++(int)
    {
        Vector old = *this;
        ++*this;
        return old;
    }
    __device__ float operator[](int i) const { return (&x)[i]; }
    __device__ float& operator[](int i) { return (&x)[i]; }
    __device__ bool operator<(const Vector& other) const { return x < other.x; }
    __device__ static Vector up() { return Vector(0, 1, 0); }
    __device__ Vector cross(const Vector& b) const
    {
        return Vector(y * b.z - z * b.y, z * b.x - x * b.z, x * b.y - y * b.x);
    }
    __device__ operator float() const { return x + y + z; }
};

__device__ Vector operator*(float s, const Vector& v) { return Vector(s * v.x, s * v.y, s * v.z); }
__device__ inline Vector operator+(Vector a, const Vector& b)
{
    a.x += b.x;
    a.y += b.y;
    a.z += b.z;
    return a;
}

__global__ void vector_class(const float* values, float* out)
{
    Vector a(values[threadIdx.x], 2, 3), b = Vector::up();
    Vector d = 2.0f * a + b;
    ++d;
    Vector e = d++;
    d[1] = 7;
    float sum = -a;
    out[threadIdx.x] = d[1] + e[0] + (a < d ? 1000 : 0) + a.cross(b).x + sum;
}

struct Tally {
    int sum, calls;
    __device__ void operator()(int x)
    {
        sum += x;
        calls++;
    }
    __device__ int& operator[](int i) { return i ? calls : sum; }
    __device__ Tally& operator<<(int x)
    {
        sum += x;
        return *this;
    }
};

__device__ int changed_copy(Tally tally, int x)
{
    tally(x);
    tally[1] = 50;
    tally << x << 1;
    return tally.sum * 100 + tally[1];
}

template <typename Function>
__device__ void for_each(const int* x, int n, Function& function)
{
    for (int k = 0; k < n; k++)
        function(x[k]);
}

// Operators change the object that they are called on: a copy, if a function has its own.
__global__ void changing_operators(const int* x, int* out)
{
    Tally tally = {1, 0};
    int copied = changed_copy(tally, 3);
    for_each(x + threadIdx.x, 4, tally);
    tally << 5 << 6;
    tally[0] += 1000;
    out[threadIdx.x] = copied * 10000 + tally.sum + tally.calls;
}

template <typename T>
struct SharedMemory {
    __device__ inline operator T*()
    {
        extern __shared__ int bytes[];
        return (T*)bytes;
    }
    __device__ inline operator const T*() const
    {
        extern __shared__ int bytes[];
        return (T*)bytes;
    }
};
template <>
struct SharedMemory<double> {
    __device__ inline operator double*()
    {
        extern __shared__ double doubles[];
        return (double*)doubles;
    }
};

// The samples' way to give a template a dynamic array of its type.
template <typename T>
__global__ void reversed_block(T* x)
{
    T* s = SharedMemory<T>();
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

template <typename T>
__device__ int kind(T) { return 1; }
template <typename T>
__device__ int kind(T*) { return 2; }
template <typename T>
__device__ int kind(const T*) { return 3; }
template <typename T>
__device__ int kind(T, T) { return 4; }
__device__ int kind(int) { return 5; }
template <>
__device__ int kind<char>(char) { return 6; }

// Of templates that fit the most special one is called; a plain function comes before them all.
__global__ void partial_ordering(const int* in, int* out)
{
    uint3 shape = {1u, 2u, 3u};
    dim3 grid = shape;
    out[0] = kind(1.0f);
    out[1] = kind(out);
    out[2] = kind(in);
    out[3] = kind(1, 2);
    out[4] = kind(1);
    out[5] = kind('c');
    out[6] = grid.x + 10 * grid.y + 100 * grid.z;
}

struct Defaulted {
    int value = 3;
    Range range;
    Defaulted() = default;
    Defaulted(const Defaulted&) = default;
    Defaulted& operator=(const Defaulted&) = default;
    __device__ explicit Defaulted(int v) : value(v) {}
    ~Defaulted() = default;
};

// A constructor that the compiler writes starts members as they say.
__global__ void defaulted_constructor(int* out)
{
    Defaulted given(threadIdx.x), plain, braced{}, called = Defaulted();
    plain = given;
    out[threadIdx.x] = plain.value + 100 * braced.value + 1000 * called.range.high + 10000 * given.range.low;
}
