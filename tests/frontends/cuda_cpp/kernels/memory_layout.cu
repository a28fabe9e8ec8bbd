// How data lies in memory: vectors of four, arrays of structs, structs of arrays.

__global__ void copy_float4(const float4* __restrict__ in, float4* __restrict__ out, int n4)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += blockDim.x * gridDim.x)
        out[i] = in[i];
}

__global__ void copy_with_tail(float* out, const float* in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4)
        reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];
    if (i < n % 4)
        out[n - 1 - i] = in[n - 1 - i];
}

struct PointAoS {
    float x, y, z;
};

__global__ void scale_aos(PointAoS* points, float s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        points[i].x *= s;
        points[i].y *= s;
        points[i].z *= s;
    }
}

struct PointsSoA {
    float *x, *y, *z;
};

__global__ void scale_soa(PointsSoA points, float s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        points.x[i] *= s;
        points.y[i] *= s;
        points.z[i] *= s;
    }
}

__global__ void strided_copy(float* out, const float* in, int n, int stride)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride % n;
    out[i] = in[i];
}

__global__ void offset_copy(float* out, const float* in, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
    out[i] = in[i] + 1;
}

// What lies in a struct is where the compiler of the host puts it too.
struct Mixed {
    char tag;
    double value;
    short small;
    int word;
    float pair[2];
    unsigned char last;
};

__global__ void mixed_struct(Mixed* m)
{
    Mixed& mine = m[threadIdx.x];
    mine.value = mine.tag * 0.5;
    mine.small -= 1;
    mine.word = sizeof(Mixed);
    mine.pair[1] = mine.pair[0] * 2;
    mine.last = 255 - mine.last;
}
