// Enumerations, type names, unions and vector types.
#include <cuda_runtime.h>

enum Colour { RED, GREEN = 5, BLUE };

enum class Operation : unsigned char { Add, Subtract = 3, Multiply };

typedef unsigned int uint;
typedef float Row[4];
using real = double;
using Binary = float (*)(float, float);

__device__ int weight(Colour colour)
{
    switch (colour) {
    case RED: return 1;
    case GREEN: return 10;
    case BLUE: return 100;
    }
    return -1;
}

__global__ void enumerations(const int* x, int* out)
{
    Colour colour = static_cast<Colour>(x[threadIdx.x]);
    enum { LOCAL = 1000 };
    out[threadIdx.x] = weight(colour) + BLUE + LOCAL * (colour == Colour::GREEN);
}

__device__ float apply(Operation operation, float a, float b)
{
    switch (operation) {
    case Operation::Add: return a + b;
    case Operation::Subtract: return a - b;
    case Operation::Multiply: return a * b;
    default: return 0;
    }
}

__global__ void scoped_enumerations(const Operation* operations, const float* a, float* out)
{
    const auto operation = operations[threadIdx.x];
    out[threadIdx.x] = apply(operation, a[threadIdx.x], 2.0f) + static_cast<int>(operation);
}

__global__ void type_names(const uint* x, real* out)
{
    Row row = {1, 2, 3, 4};
    uint u = x[threadIdx.x];
    out[threadIdx.x] = real(u) / 8 + row[u % 4] + sizeof(Row);
}

union Bits {
    float value;
    unsigned int word;
    unsigned char bytes[4];
};

// Type punning: the exponent of a float without arithmetic.
__global__ void unions(const float* x, int* exponents, unsigned char* lowest, float* magnitudes)
{
    Bits bits;
    bits.value = x[threadIdx.x];
    exponents[threadIdx.x] = (int)(bits.word >> 23 & 0xff) - 127;
    lowest[threadIdx.x] = bits.bytes[0];
    bits.word &= 0x7fffffff;
    magnitudes[threadIdx.x] = bits.value;
}

struct Tagged {
    int tag;
    union {
        float real;
        int whole;
    };
};

__global__ void anonymous_union(const Tagged* values, float* out)
{
    Tagged mine = values[threadIdx.x];
    out[threadIdx.x] = mine.tag ? mine.real : (float)mine.whole;
}

__device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ float4 operator*(float s, float4 v) { return make_float4(s * v.x, s * v.y, s * v.z, s * v.w); }
__device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

__global__ void float4_arithmetic(const float4* a, const float4* b, float4* out, float* dots)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 left = a[i], right = b[i];
    out[i] = left + 2.0f * right;
    dots[i] = dot(left, right);
}

__global__ void vector_types(const uchar4* pixels, float3* colours, int2* sums, short2* shorts, double2* doubles,
                             longlong2* wide)
{
    int i = threadIdx.x;
    uchar4 p = pixels[i];
    colours[i] = make_float3(p.x / 255.0f, p.y / 255.0f, p.z / 255.0f);
    int2 sum;
    sum.x = p.x + p.y;
    sum.y = p.z + p.w;
    sums[i] = sum;
    shorts[i] = make_short2(-p.x, p.w);
    shorts[i].y += 1;
    doubles[i] = double2{p.x * 0.5, 1.0 / (p.y + 1)};
    wide[i] = {1ll << (i % 60), -(long long)i};
}

// A swizzle by hand, and components by number.
__global__ void swizzles(float4* v, float* sums)
{
    float4 a = v[threadIdx.x];
    v[threadIdx.x] = make_float4(a.w, a.z, a.y, a.x);
    float sum = 0;
    for (int k = 0; k < 4; ++k)
        sum += (k + 1) * reinterpret_cast<float*>(&a)[k];
    sums[threadIdx.x] = sum + (&a.x)[1];
}

__global__ void dimensions(int* out)
{
    dim3 shape(gridDim.x, 2), block = blockDim;
    uint3 place = threadIdx;
    int linear = place.x + place.y * block.x;
    out[linear + blockIdx.x * block.x * block.y] = shape.x * 100 + shape.y * 10 + shape.z + warpSize % 32;
}
