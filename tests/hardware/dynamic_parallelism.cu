// What was recorded on an H200 in dynamic_parallelism.json, as its tests describe it: who starts and ends when, what
// fails, what is seen. A kernel's tag is ten times its number, plus 1 where it starts and 2 where it ends.
#include <cstdio>
__device__ int ticket, tags[256];

__device__ void note(int tag) { tags[atomicAdd(&ticket, 1)] = tag; }

__global__ void child(int number) {
  note(10 * number + 1);
  note(10 * number + 2);
}

__global__ void two_children() {
  note(1);
  child<<<1, 1>>>(1);
  note(3);
  child<<<1, 1>>>(2);
  note(2);
}

__global__ void eight_threads() {
  if (threadIdx.x == 0) note(1);
  __syncthreads();
  child<<<1, 1>>>(100 + threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) note(2);
}

__global__ void four_blocks() {
  note(1);
  child<<<1, 1>>>(200 + blockIdx.x);
}

__device__ cudaStream_t created() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  return stream;
}

__global__ void two_streams() {
  note(1);
  cudaStream_t a = created(), b = created();
  child<<<1, 1, 0, a>>>(1);
  child<<<1, 1, 0, b>>>(2);
  child<<<1, 1, 0, a>>>(3);
  child<<<1, 1>>>(4);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
  note(2);
}

__global__ void one_stream() {
  note(1);
  cudaStream_t a = created();
  child<<<1, 1, 0, a>>>(1);
  child<<<1, 1, 0, a>>>(2);
  child<<<1, 1, 0, a>>>(3);
  child<<<1, 1>>>(4);
  note(2);
}

__global__ void fire_and_forget() {
  note(1);
  for (int i = 1; i <= 4; ++i) child<<<1, 1, 0, cudaStreamFireAndForget>>>(i);
  child<<<1, 1>>>(5);
  note(2);
}

__global__ void tails() {
  note(1);
  child<<<1, 1, 0, cudaStreamTailLaunch>>>(8);
  child<<<1, 1, 0, cudaStreamTailLaunch>>>(9);
  child<<<1, 1>>>(1);
  child<<<1, 1, 0, cudaStreamFireAndForget>>>(2);
  note(2);
}

__global__ void mid(int number) {
  note(10 * number + 1);
  child<<<1, 1>>>(number + 1);
  child<<<1, 1, 0, cudaStreamTailLaunch>>>(number + 2);
  note(10 * number + 2);
}

__global__ void nested() {
  note(1);
  mid<<<1, 1>>>(30);
  child<<<1, 1>>>(50);
  child<<<1, 1, 0, cudaStreamTailLaunch>>>(60);
  note(2);
}

__global__ void events() {
  note(1);
  cudaStream_t a = created(), b = created();
  cudaEvent_t done;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  child<<<1, 1, 0, a>>>(1);
  cudaEventRecord(done, a);
  cudaStreamWaitEvent(b, done, 0);
  child<<<1, 1, 0, b>>>(2);
  cudaEventDestroy(done);
  note(2);
}

__global__ void calls(int* codes) {
  cudaStream_t a, b;
  cudaEvent_t done, timed;
  codes[0] = cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  codes[1] = cudaStreamCreateWithFlags(&b, cudaStreamDefault);
  codes[2] = cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  codes[3] = cudaEventRecord(done, a);
  codes[4] = cudaStreamWaitEvent(b, done, 0);
  codes[5] = cudaEventDestroy(done);
  codes[6] = cudaStreamDestroy(a);
  codes[7] = cudaStreamDestroy(b);
  codes[8] = cudaGetLastError();
  codes[9] = cudaEventCreateWithFlags(&timed, cudaEventDefault);
  codes[10] = cudaGetLastError();
}

__global__ void increase(int* data, int* wrong) {
  if (data[threadIdx.x] != (int)threadIdx.x) atomicAdd(wrong, 1);
  data[threadIdx.x] += 1000;
}
__global__ void look(const int* data, int* wrong) {
  if (data[threadIdx.x] != (int)threadIdx.x + 1000) atomicAdd(wrong + 1, 1);
}
__global__ void visibility(int* data, int* wrong) {
  data[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    increase<<<1, 256>>>(data, wrong);
    look<<<1, 256, 0, cudaStreamTailLaunch>>>(data, wrong);
  }
}

// found: deepest grid that ran, the error, the depth at which it was
__global__ void depth(int at, int asked, int tail, int* found) {
  atomicMax(found, at);
  if (at < asked) {
    if (tail) depth<<<1, 1, 0, cudaStreamTailLaunch>>>(at + 1, asked, tail, found);
    else depth<<<1, 1>>>(at + 1, asked, tail, found);
    const int error = cudaGetLastError();
    if (error) found[1] = error, found[2] = at;
  }
}

// found: children that ran, launches that failed, the first of them, its error
__global__ void count(int* found) { atomicAdd(found, 1); }
__global__ void pending(int children, int free, int* found) {
  for (int i = 0; i < children; ++i) {
    if (free) count<<<1, 1, 0, cudaStreamFireAndForget>>>(found);
    else count<<<1, 1>>>(found);
    const int error = cudaGetLastError();
    if (error) {
      if (!found[1]++) found[2] = i;
      found[3] = error;
    }
  }
}

__global__ void nop() {}
__global__ void nopsm() { extern __shared__ char bytes[]; }
__global__ void __launch_bounds__(128) nop128() {}
__global__ void invalid(int which, dim3 grid, dim3 block, int bytes, int* codes) {
  if (which == 0) nop<<<grid, block, bytes>>>();
  if (which == 1) nopsm<<<grid, block, bytes>>>();
  if (which == 2) nop128<<<grid, block, bytes>>>();
  codes[1] = cudaPeekAtLastError();
  codes[0] = cudaGetLastError();
  codes[2] = cudaGetLastError();
}

template <int N> struct Words { int words[N]; };
template <int N> __global__ void sum(Words<N> given, int* total) {
  for (int i = 0; i < N; ++i) *total += given.words[i];
}
template <int N> __global__ void parameters(int* total) {
  Words<N> given;
  for (int i = 0; i < N; ++i) given.words[i] = i;
  sum<N><<<1, 1>>>(given, total);
}

__global__ void stops() { __trap(); }
__global__ void traps(int* code) {
  stops<<<1, 1>>>();
  *code = cudaGetLastError();
}

__global__ void greets(int number) { printf("child %d: thread %d\n", number, threadIdx.x); }
__global__ void hello() {
  printf("parent: before launch, thread %d\n", threadIdx.x);
  if (threadIdx.x == 0) greets<<<1, 2>>>(7);
  printf("parent: after launch, thread %d\n", threadIdx.x);
}

__global__ void waits() {
  nop<<<1, 1>>>();
  cudaDeviceSynchronize();
}
