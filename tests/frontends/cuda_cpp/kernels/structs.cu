// Structs: nested, aligned, copied, with members that are functions, constructors and operators.

struct Vec2 {
    float x, y;
};

struct Segment {
    Vec2 from, to;
    int id;
};

// By value, nested: parameters of a kernel are copies.
__global__ void nested_by_value(Segment segment, Vec2 shift, float* out)
{
    segment.to.x += shift.x;
    Vec2 d = {segment.to.x - segment.from.x, segment.to.y - segment.from.y};
    out[threadIdx.x] = sqrtf(d.x * d.x + d.y * d.y) + segment.id * threadIdx.x;
}

struct Particle {
    float position[3];
    float mass;
    int alive;
};

__global__ void array_of_structs(Particle* particles, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Particle* p = &particles[i];
    if (!p->alive)
        return;
    for (int k = 0; k < 3; ++k)
        p->position[k] += dt * (k + 1) / p->mass;
    particles[i].alive = p->position[0] < 1.0f;
}

struct __align__(16) Packed {
    float x, y, z;
    unsigned char kind;
};

struct alignas(8) Pair {
    int first;
    short second;
};

__global__ void alignments(Packed* packed, Pair* pairs, int* out)
{
    Packed mine = packed[threadIdx.x];
    mine.kind = mine.kind + 1;
    packed[threadIdx.x] = mine;
    pairs[threadIdx.x] = Pair{(int)threadIdx.x, (short)-mine.kind};
    if (threadIdx.x == 0) {
        out[0] = sizeof(Packed);
        out[1] = sizeof(Pair);
        out[2] = alignof(Packed);
        out[3] = sizeof(Particle);
    }
}

struct Complex {
    float re, im;
    __device__ Complex(float re_, float im_ = 0.f) : re(re_), im(im_) {}
    __device__ float squared() const { return re * re + im * im; }
    __device__ Complex operator*(const Complex& other) const
    {
        return Complex(re * other.re - im * other.im, im * other.re + re * other.im);
    }
    __device__ Complex operator+(const Complex& other) const { return Complex(re + other.re, im + other.im); }
    __device__ Complex& operator+=(const Complex& other)
    {
        re += other.re;
        im += other.im;
        return *this;
    }
    __device__ bool operator==(const Complex& other) const { return re == other.re && im == other.im; }
};

__device__ Complex operator-(const Complex& z) { return Complex(-z.re, -z.im); }

// A Julia set as textbooks write it: a class for complex numbers.
__global__ void julia(int* steps, int width, float scale)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    Complex c(-0.8f, 0.156f), z(scale * (x - width / 2) / width, scale * (y - width / 2) / width);
    int k = 0;
    while (k < 40 && z.squared() < 1000) {
        z = z * z + c;
        ++k;
    }
    steps[y * width + x] = k;
}

__global__ void operators(const float* x, float* out)
{
    Complex z(x[threadIdx.x]), w(1.f, 2.f);
    z += w;
    (z += w) += -w;
    out[2 * threadIdx.x] = z.re;
    out[2 * threadIdx.x + 1] = z == Complex(x[threadIdx.x] + 1, 2) ? z.im : -1;
}

class Random {
public:
    __device__ explicit Random(unsigned seed) : state(seed ? seed : 1) {}
    __device__ unsigned next()
    {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        return state;
    }
    __device__ float uniform() { return (next() >> 8) * scale; }

private:
    unsigned state;
    static constexpr float scale = 1.0f / 16777216.0f;
};

__global__ void classes(float* out, unsigned* last)
{
    Random random(threadIdx.x);
    for (int k = 0; k < 4; k++)
        out[threadIdx.x * 4 + k] = random.uniform();
    last[threadIdx.x] = random.next();
}

struct Grid {
    static const int WIDTH = 8;
    static constexpr int HEIGHT = 4;
    __device__ static int index(int row, int column) { return row * WIDTH + column; }
    __device__ int operator()(int row, int column) const { return values[index(row, column)]; }
    __device__ int& operator[](int k) { return values[k]; }
    int values[WIDTH * HEIGHT];
};

__global__ void static_members(int* out)
{
    Grid grid;
    for (int k = 0; k < Grid::WIDTH * Grid::HEIGHT; k++)
        grid[k] = k * k;
    grid[Grid::index(1, 2)] += 1000;
    out[threadIdx.x] = grid(threadIdx.x / Grid::WIDTH, threadIdx.x % Grid::WIDTH);
}

struct Limits {
    int low = -10;
    int high = 10;
    __device__ int clamp(int value) const
    {
        return value < low ? low : value > this->high ? high : value;
    }
};

__global__ void default_members(const int* x, int* out)
{
    Limits usual, narrow;
    narrow.high = 3;
    out[threadIdx.x] = usual.clamp(x[threadIdx.x]) * 100 + narrow.clamp(x[threadIdx.x]);
}

__device__ Vec2 rotated(Vec2 v) { return {-v.y, v.x}; }
__device__ Vec2 operator+(Vec2 a, Vec2 b) { return Vec2{a.x + b.x, a.y + b.y}; }
__device__ Vec2 operator*(float s, const Vec2& v)
{
    Vec2 result;
    result.x = s * v.x;
    result.y = s * v.y;
    return result;
}

// Copies are independent; functions return structs.
__global__ void struct_copies(Vec2* points)
{
    __shared__ Vec2 tile[32];
    Vec2 mine = points[threadIdx.x];
    tile[threadIdx.x] = mine;
    mine.x = 0;
    __syncthreads();
    Vec2 next = tile[(threadIdx.x + 1) % 32], swapped[2];
    swapped[0] = swapped[1] = rotated(next);
    swapped[1].x *= 10;
    points[threadIdx.x] = swapped[0] + 0.5f * swapped[1] + mine;
}

typedef struct {
    int* items;
    int count;
    struct {
        int low, high;
    } range;
} Bag;

// A struct with a pointer and an unnamed struct inside; references to it see changes.
__device__ void shrink(Bag& bag)
{
    bag.items += bag.range.low;
    bag.count = bag.range.high - bag.range.low;
}

__global__ void struct_references(Bag bag, int* out)
{
    shrink(bag);
    for (int k = threadIdx.x; k < bag.count; k += blockDim.x)
        out[k] = bag.items[k] * 2;
}
