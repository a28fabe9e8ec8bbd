// The relay of "Cooperative groups" with copies: one warp brings parts of x, the other turns them round.
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

__global__ void piped(const int* x, int* out, int n) {
    __shared__ int s[2][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    int t = block.thread_rank() % 32, rounds = n / 32;
    bool produces = block.thread_rank() < 32;
    using Role = cuda::pipeline_role;
    auto role = produces ? Role::producer : Role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    for (int k = 0; k < rounds; k++) {
        if (produces) {
            pipe.producer_acquire();  // this buffer is free again
            cuda::memcpy_async(&s[k % 2][t], &x[32 * k + t], sizeof(int), pipe);
            pipe.producer_commit();  // full as soon as the copies are there
        } else {
            pipe.consumer_wait();  // this buffer is full
            out[32 * k + t] = s[k % 2][31 - t];
            pipe.consumer_release();
        }
    }
}
