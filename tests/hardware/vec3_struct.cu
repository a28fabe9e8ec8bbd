// Arrays of three floats: as structs of 12 bytes, of 16 bytes, as three arrays, and staged through shared memory.
#define I (blockIdx.x * blockDim.x + threadIdx.x)

struct Vec3 { float x, y, z; };
struct __align__(16) Wide3 { float x, y, z; };

__global__ void sum_of_fields(const Vec3* v, float* out) {
    Vec3 a = v[I];
    out[I] = a.x + a.y + a.z;
}

__global__ void sum_of_wide(const Wide3* v, float* out) {
    float4 a = *(const float4*)&v[I];
    out[I] = a.x + a.y + a.z;
}

__global__ void sum_of_arrays(const float* x, const float* y, const float* z, float* out) { out[I] = x[I] + y[I] + z[I]; }

template <class V> __global__ void first_field(const V* v, float* out) { out[I] = v[I].x; }

__global__ void staged(const Vec3* v, float* out) {
    __shared__ float s[3 * 256];
    const float* block = (const float*)(v + blockIdx.x * blockDim.x);
    for (int k = 0; k < 3; k++) s[threadIdx.x + 256 * k] = block[threadIdx.x + 256 * k];
    __syncthreads();
    Vec3* a = (Vec3*)s + threadIdx.x;
    out[I] = a->x + a->y + a->z;
}

__global__ void staged_by_16_bytes(const Vec3* v, float* out) {
    __shared__ __align__(16) float s[3 * 256];
    const float4* block = (const float4*)(v + blockIdx.x * blockDim.x);
    if (threadIdx.x < 192) ((float4*)s)[threadIdx.x] = block[threadIdx.x];
    __syncthreads();
    Vec3* a = (Vec3*)s + threadIdx.x;
    out[I] = a->x + a->y + a->z;
}

__global__ void write_fields(Vec3* v, const float* values) {
    float f = values[I];
    Vec3 a = {f, f + 1, f + 2};
    v[I] = a;
}

__global__ void write_wide(Wide3* v, const float* values) {
    float f = values[I];
    *(float2*)&v[I] = make_float2(f, f + 1);  // nvcc writes the struct in these two accesses
    v[I].z = f + 2;
}
