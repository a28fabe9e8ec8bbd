// <cuda_pipeline.h>: a thread's own asynchronous copies to shared memory, in groups.
#pragma once
// 4, 8 or 16 bytes, of which the last `zeros` are zeros
inline void __pipeline_memcpy_async(void* to, const void* from, unsigned long bytes, unsigned long zeros = 0) {
  if (zeros) {
    for (unsigned long i = 0; i < bytes / 4; i++)
      __gpusim_store_async((unsigned*)to + i, 4 * i < bytes - zeros ? ((const unsigned*)from)[i] : 0u);
  } else if (bytes == 16) __gpusim_store_async((uint4*)to, *(const uint4*)from);
  else if (bytes == 8) __gpusim_store_async((unsigned long long*)to, *(const unsigned long long*)from);
  else __gpusim_store_async((unsigned*)to, *(const unsigned*)from);
}
inline void __pipeline_commit() { __gpusim_copies_commit(); }
inline void __pipeline_wait_prior(unsigned groups) { __gpusim_copies_wait(groups); }
