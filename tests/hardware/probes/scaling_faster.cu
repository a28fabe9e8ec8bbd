// How much faster are two kernels on more multiprocessors, and what do warps cost that take turns?
#include <algorithm>
#include <cstdio>
__device__ int drawn;
__device__ int draw() { __shared__ int mine; if (threadIdx.x == 0) mine = atomicAdd(&drawn, 1); __syncthreads(); int job = mine; __syncthreads(); return job; }
__device__ int here() { int s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
// Only blocks on multiprocessors below k work. 2^27 numbers, each moved once in and once out:
__global__ void smooth(const float* __restrict__ x, float* __restrict__ y, int n, int k) {
  if (here() < k) for (int job = draw(); job < n / 16384; job = draw())
    for (int j = 0; j < 16; j++) { int i = job * 16384 + j * 1024 + threadIdx.x; if (0 < i && i < n - 1) y[i] = (x[i - 1] + 2 * x[i] + x[i + 1]) / 4; } }
// 2^23 numbers, 2,048 multiply-adds for each:
__global__ void sums(const float* x, float* y, int n, int k) {
  if (here() < k) for (int job = draw(); job < n / 1024; job = draw()) { int i = job * 1024 + threadIdx.x; float v = x[i]; for (int r = 0; r < 2048; r++) v = v * .999f + .001f; y[i] = v; } }
// Each of 4,096 multiply-adds needs the one before; warps 0, 4, 8 … of a block have the same scheduler.
__global__ void chain(float* y, long long* t) { float v = threadIdx.x; __syncthreads(); long long a = clock64();
  #pragma unroll 64
  for (int r = 0; r < 4096; r++) v = v * .999f + .001f;
  t[threadIdx.x] = a; t[1024 + threadIdx.x] = clock64(); y[threadIdx.x] = v; }
template <class K> float ms(K f, float* x, float* y, int n, int k) { float t[9]; cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); int zero = 0;
  for (float& m : t) { cudaMemcpyToSymbol(drawn, &zero, 4); cudaEventRecord(a); f<<<264, 1024>>>(x, y, n, k); cudaEventRecord(b); cudaEventSynchronize(b); cudaEventElapsedTime(&m, a, b); }
  std::sort(t, t + 9); return t[4]; }
int main() { const int N = 1 << 27; float *x, *y; long long *t, h[2048]; cudaMalloc(&x, N * 4l); cudaMalloc(&y, N * 4l); cudaMalloc(&t, 16384); cudaMemset(x, 0, N * 4l);
  for (int k : {1, 2, 4, 8, 16, 24, 33, 44, 55, 66, 77, 88, 99, 110, 121, 132}) printf("faster %d %.4f %.4f\n", k, ms(smooth, x, y, N, k), ms(sums, x, y, 1 << 23, k));
  for (int r = 0; r < 4; r++) for (int w : {1, 4, 8, 12, 16, 20, 32}) { chain<<<1, 32 * w>>>(y, t); cudaMemcpy(h, t, 16384, cudaMemcpyDeviceToHost);
    printf("chain %d %lld\n", w, *std::max_element(h + 1024, h + 1024 + 32 * w) - *std::min_element(h, h + 32 * w)); }
  puts(cudaGetErrorString(cudaGetLastError())); }
