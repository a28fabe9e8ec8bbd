// A program whose host code uses what kernels cannot: exceptions, streams, lambdas, files, classes with virtual methods.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cuda_runtime.h>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define CUDA_CHECK(call) check((call), #call, __FILE__, __LINE__)

static void check(cudaError_t status, const char* what, const char* file, int line)
{
    if (status != cudaSuccess)
        throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + what);
}

class Shape {
public:
    virtual ~Shape() = default;
    virtual double area() const = 0;
};

class Square : public Shape {
public:
    explicit Square(double side) : side_(side) {}
    double area() const override { return side_ * side_; }

private:
    double side_;
};

template <typename T>
class DeviceArray {
public:
    explicit DeviceArray(size_t n) : n_(n) { CUDA_CHECK(cudaMalloc(&data_, n * sizeof(T))); }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray&) = delete;
    T* get() const { return data_; }

private:
    T* data_ = nullptr;
    size_t n_;
};

__constant__ float factors[2] = {2.0f, 3.0f};

__host__ __device__ float scaled(float x, float factor)
{
#ifdef __CUDA_ARCH__
    return x * factor;
#else
    return x * factor + 0.0f;
#endif
}

__global__ void scale(float* x, int n, int which)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = scaled(x[i], factors[which]);
}

static std::map<std::string, std::function<float(float)>> table()
{
    return {{"twice", [](float x) { return 2 * x; }}, {"square", [](float x) { return x * x; }}};
}

int run(const std::vector<std::string>& arguments)
{
    const int n = 1 << 10;
    auto start = std::chrono::steady_clock::now();
    std::unique_ptr<Shape> shape = std::make_unique<Square>(2.0);
    std::vector<float> host(n);
    std::generate(host.begin(), host.end(), [k = 0]() mutable { return float(k++); });
    DeviceArray<float> device(n);
    cudaStream_t stream;
    cudaEvent_t begin, end;
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaEventCreate(&begin));
    CUDA_CHECK(cudaEventCreate(&end));
    CUDA_CHECK(cudaMemcpyAsync(device.get(), host.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream));
    const float changed[2] = {4.0f, 5.0f};
    CUDA_CHECK(cudaMemcpyToSymbol(factors, changed, sizeof(changed)));
    dim3 threads(256), blocks((n + threads.x - 1) / threads.x);
    CUDA_CHECK(cudaEventRecord(begin, stream));
    scale<<<blocks, threads, 0, stream>>>(device.get(), n, 1);
    CUDA_CHECK(cudaEventRecord(end, stream));
    CUDA_CHECK(cudaMemcpyAsync(host.data(), device.get(), n * sizeof(float), cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    float milliseconds = 0;
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    for (const auto& [name, function] : table())
        std::cout << name << ": " << function(host[1]) << '\n';
    std::ofstream("result.txt") << milliseconds << " " << shape->area() << std::endl;
    auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return seconds > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char* argv[])
try {
    return run({argv, argv + argc});
} catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return EXIT_FAILURE;
}
