// The recorded tests of dynamic_parallelism.json that have times, with children that work as long as theirs did:
// one square root after another; so do parents for the time that a note of an event takes.
__device__ double sink;

__device__ void work(int rounds) {
  double x = rounds;
  for (int i = 0; i < rounds; ++i) x = sqrt(x + 2.0);
  if (x < 0.0) sink = x;
}

__global__ void child(int number, int rounds) { work(rounds); }

__global__ void two_children(int note, int us20, int us0) {
  work(note);
  child<<<1, 1>>>(1, us20);
  work(note);
  child<<<1, 1>>>(2, us0);
}

__global__ void eight_threads(int note, int us3) {
  work(note);
  child<<<1, 1>>>(100 + threadIdx.x, us3);
}

__global__ void four_blocks(int note, int us5) {
  work(note);
  child<<<1, 1>>>(200 + blockIdx.x, us5);
}

__device__ cudaStream_t created() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  return stream;
}

__global__ void two_streams(int note, int us50, int us0) {
  work(note);
  cudaStream_t a = created(), b = created();
  child<<<1, 1, 0, a>>>(1, us50);
  child<<<1, 1, 0, b>>>(2, us50);
  child<<<1, 1, 0, a>>>(3, us0);
  child<<<1, 1>>>(4, us0);
}

__global__ void one_stream(int note, int us50, int us0) {
  work(note);
  cudaStream_t a = created();
  child<<<1, 1, 0, a>>>(1, us50);
  child<<<1, 1, 0, a>>>(2, us50);
  child<<<1, 1, 0, a>>>(3, us0);
  child<<<1, 1>>>(4, us0);
}

__global__ void fire_and_forget(int note, int us50, int us0) {
  work(note);
  for (int i = 1; i <= 4; ++i) child<<<1, 1, 0, cudaStreamFireAndForget>>>(i, us50);
  child<<<1, 1>>>(5, us0);
}

__global__ void tails(int note, int us30, int us60, int us10, int us0) {
  work(note);
  child<<<1, 1, 0, cudaStreamTailLaunch>>>(8, us0);
  child<<<1, 1, 0, cudaStreamTailLaunch>>>(9, us0);
  child<<<1, 1>>>(1, us30);
  child<<<1, 1, 0, cudaStreamFireAndForget>>>(2, us60);
  work(us10);
}

__global__ void mid(int number, int note, int us20, int us0) {
  work(note);
  child<<<1, 1>>>(number + 1, us20);
  child<<<1, 1, 0, cudaStreamTailLaunch>>>(number + 2, us0);
}

__global__ void nested(int note, int us20, int us0) {
  work(note);
  mid<<<1, 1>>>(30, note, us20, us0);
  child<<<1, 1>>>(50, us0);
  child<<<1, 1, 0, cudaStreamTailLaunch>>>(60, us0);
}

__global__ void events(int note, int us40, int us0) {
  work(note);
  cudaStream_t a = created(), b = created();
  cudaEvent_t done;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  child<<<1, 1, 0, a>>>(1, us40);
  cudaEventRecord(done, a);
  cudaStreamWaitEvent(b, done, 0);
  child<<<1, 1, 0, b>>>(2, us0);
}
