// How many clocks do four blocks need for 16 jobs, in runs, in turn and from a queue? The slowest block counts.
#include <algorithm>
#include <cstdio>
#define ARGUMENTS const int* r, int* s, int* w, int* d, int n, long long* c
__device__ void work(const int* r, int* s, int* w, int j) { int t = 0, last = r[j];
  for (int k = 0; k < last; k++) t = (5 * t + 1) & 1023;
  if (threadIdx.x == 0) { s[j] = t; w[j] = blockIdx.x; } }
__global__ void in_runs(ARGUMENTS) { long long t = clock64(); int e = (n + gridDim.x - 1) / gridDim.x, f = blockIdx.x * e;
  for (int j = f; j < min(f + e, n); j++) work(r, s, w, j); c[blockIdx.x] = clock64() - t; }
__global__ void in_turn(ARGUMENTS) { long long t = clock64(); for (int j = blockIdx.x; j < n; j += gridDim.x) work(r, s, w, j); c[blockIdx.x] = clock64() - t; }
__global__ void from_queue(ARGUMENTS) { long long t = clock64(); __shared__ int m;
  while (true) { if (threadIdx.x == 0) m = atomicAdd(d, 1);
    __syncthreads(); int j = m; __syncthreads(); if (j >= n) break; work(r, s, w, j); } c[blockIdx.x] = clock64() - t; }
int main() { int *r, *m, h[16]; long long *c, g[4]; cudaMalloc(&r, 64); cudaMalloc(&m, 256); cudaMalloc(&c, 32); int *s = m, *w = m + 16, *d = m + 32;
  void (*kernels[])(ARGUMENTS) = {in_runs, in_turn, from_queue}; const char* names[] = {"runs", "turn", "queue"};
  for (int l = 1; l <= 1000; l *= 10) for (int k = 0; k < 3; k++) { for (int j = 0; j < 16; j++) h[j] = l * (16 - j);
    cudaMemcpy(r, h, 64, cudaMemcpyHostToDevice); long long t[19]; for (auto& x : t) for (int warm = 0; warm < 4; warm++) {
      cudaMemset(d, 0, 4); kernels[k]<<<4, 32>>>(r, s, w, d, 16, c); cudaMemcpy(g, c, 32, cudaMemcpyDeviceToHost); x = *std::max_element(g, g + 4); }
    std::sort(t, t + 19); printf("job %d %s %lld %lld %lld\n", l, names[k], t[0], t[9], t[18]); } }
