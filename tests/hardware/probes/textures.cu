// What does a texture give between and outside its texels? One list a fetch: texture, coordinates, bits of the result.
// usage: textures answers.jsonl
#include "common.h"

static const float COLUMN[8] = {3.f, -1.5f, 100.f, 0.25f, 7.f, 1e6f, -42.f, 0.1f};
static const int WIDTH = 6, HEIGHT = 5;

template <class T> __device__ void keep(T value, unsigned* out);
template <> __device__ void keep(float value, unsigned* out) { out[0] = __float_as_uint(value); }
template <> __device__ void keep(float4 value, unsigned* out) {
    out[0] = __float_as_uint(value.x); out[1] = __float_as_uint(value.y);
    out[2] = __float_as_uint(value.z); out[3] = __float_as_uint(value.w);
}
template <class T> __global__ void one(cudaTextureObject_t t, const float* x, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) keep(tex1D<T>(t, x[i]), out + 4 * i);
}
template <class T> __global__ void two(cudaTextureObject_t t, const float* x, const float* y, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) keep(tex2D<T>(t, x[i], y[i]), out + 4 * i);
}

static unsigned state = 12345;
static unsigned next() { state = state * 1664525u + 1013904223u; return state >> 8; }

template <class T> static void record(const char* name, const void* texels, cudaChannelFormatDesc kind, int width, int height,
                                      cudaTextureReadMode read, int numbers) {
    cudaArray_t array;
    size_t row = width * (kind.x + kind.y + kind.z + kind.w) / 8;
    CK(cudaMallocArray(&array, &kind, width, height));
    CK(cudaMemcpy2DToArray(array, 0, 0, texels, row, row, height ? height : 1, cudaMemcpyHostToDevice));
    const int n = 240;
    for (int address = 0; address < 4; address++) for (int filter = 0; filter < 2; filter++) for (int normal = 0; normal < 2; normal++) {
        cudaResourceDesc where = {}; where.resType = cudaResourceTypeArray; where.res.array.array = array;
        cudaTextureDesc how = {};
        how.addressMode[0] = cudaTextureAddressMode(address);
        if (height) how.addressMode[1] = how.addressMode[0];
        how.filterMode = cudaTextureFilterMode(filter); how.readMode = read; how.normalizedCoords = normal;
        cudaTextureObject_t t = 0;
        cudaError_t error = cudaCreateTextureObject(&t, &where, &how, nullptr);
        std::vector<float> x(n), y(n);
        for (int i = 0; i < n; i++) {
            float unit = 1.f / (i < n / 2 ? 16 : 4096);  // half of them where weights are exact, half anywhere
            if (width > 100 && i >= n / 2) { x[i] = next() / 16777216.f * (normal ? 1 : width); y[i] = 0; continue; }
            x[i] = (int(next() % unsigned(3 * width / unit)) - int(width / unit)) * unit / (normal ? width : 1);
            y[i] = height ? (int(next() % unsigned(3 * height / unit)) - int(height / unit)) * unit / (normal ? height : 1) : 0;
        }
        float *dx, *dy; unsigned* out;
        CK(cudaMalloc(&dx, 4 * n)); CK(cudaMalloc(&dy, 4 * n)); CK(cudaMalloc(&out, 16 * n)); CK(cudaMemset(out, 0, 16 * n));
        CK(cudaMemcpy(dx, x.data(), 4 * n, cudaMemcpyHostToDevice)); CK(cudaMemcpy(dy, y.data(), 4 * n, cudaMemcpyHostToDevice));
        std::vector<unsigned> found(4 * n);
        if (error == cudaSuccess) {
            if (height) two<T><<<n, 1>>>(t, dx, dy, out, n); else one<T><<<n, 1>>>(t, dx, out, n);
            CK(cudaDeviceSynchronize());
            CK(cudaMemcpy(found.data(), out, 16 * n, cudaMemcpyDeviceToHost));
            CK(cudaDestroyTextureObject(t));
        }
        std::string rows;
        for (int i = 0; i < n; i++) {
            char text[64];
            snprintf(text, sizeof text, "%s[%.9g,%.9g", i ? "," : "", x[i], y[i]); rows += text;
            for (int k = 0; k < numbers; k++) { snprintf(text, sizeof text, ",%u", found[4 * i + k]); rows += text; }
            rows += "]";
        }
        J("[\"%s\",%d,%d,%d,%d,[%s]]", name, address, filter, normal, int(error), error ? "" : rows.c_str());
        CK(cudaFree(dx)); CK(cudaFree(dy)); CK(cudaFree(out));
    }
    CK(cudaFreeArray(array));
}

int main(int, char** arguments) {
    lines = opened(arguments[1], "w");
    float plane[WIDTH * HEIGHT];
    unsigned char colours[WIDTH * HEIGHT * 4];
    short heights[8];
    float ramp[4099];
    unsigned char grey[8] = {0, 255, 1, 254, 128, 7, 100, 33};
    for (int i = 0; i < WIDTH * HEIGHT; i++) plane[i] = float((i * 37) % 101) - 50.f;
    for (int i = 0; i < WIDTH * HEIGHT * 4; i++) colours[i] = (i * 73) % 256;
    for (int i = 0; i < 8; i++) heights[i] = short(i * 9001 - 32768);
    for (int i = 0; i < 4099; i++) ramp[i] = float(i);
    J("{\"ramp\":\"i\",\"grey\":[0,255,1,254,128,7,100,33],\"column\":[3,-1.5,100,0.25,7,1e6,-42,0.1],\"plane\":\"(i * 37) %% 101 - 50\",\"colours\":\"(i * 73) %% 256\",\"heights\":\"i * 9001 - 32768 as short\"}");
    record<float>("column", COLUMN, cudaCreateChannelDesc<float>(), 8, 0, cudaReadModeElementType, 1);
    record<float>("plane", plane, cudaCreateChannelDesc<float>(), WIDTH, HEIGHT, cudaReadModeElementType, 1);
    record<float>("ramp", ramp, cudaCreateChannelDesc<float>(), 4099, 0, cudaReadModeElementType, 1);
    record<float>("grey", grey, cudaCreateChannelDesc<unsigned char>(), 8, 0, cudaReadModeNormalizedFloat, 1);
    record<float4>("colours", colours, cudaCreateChannelDesc<uchar4>(), WIDTH, HEIGHT, cudaReadModeNormalizedFloat, 4);
    record<float>("heights", heights, cudaCreateChannelDesc<short>(), 8, 0, cudaReadModeNormalizedFloat, 1);
}
