// <cuda_pipeline.h>: a thread's own asynchronous copies to shared memory, in groups.
#pragma once
inline void __pipeline_memcpy_async(void* to, const void* from, unsigned long bytes, unsigned long zeros = 0) {
  gpusim_copy_async(to, from, bytes, zeros);
}
inline void __pipeline_commit() { __gpusim_copies_commit(); }
inline void __pipeline_wait_prior(unsigned groups) { __gpusim_copies_wait(groups); }
