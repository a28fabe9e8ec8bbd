// <cuda_pipeline.h>: a thread's own asynchronous copies to shared memory, in groups.
#pragma once
#include <assert.h>
// 4, 8 or 16 bytes, of which the last `zeros` are zeros
inline void __pipeline_memcpy_async(void* to, const void* from, unsigned long bytes, unsigned long zeros = 0) {
  assert(bytes == 4 || bytes == 8 || bytes == 16);
  assert(zeros <= bytes);
  if (zeros) {
    for (unsigned i = 0; i < bytes / 4; i++) {
      int kept = (int)(bytes - zeros) - 4 * (int)i;  // bytes of this word
      unsigned mask = kept >= 4 ? ~0u : kept <= 0 ? 0u : (1u << 8 * kept) - 1;
      __gpusim_store_async((unsigned*)to + i, mask ? ((const unsigned*)from)[i] & mask : 0u);
    }
  } else if (bytes == 16) __gpusim_store_async((uint4*)to, *(const uint4*)from);
  else if (bytes == 8) __gpusim_store_async((unsigned long long*)to, *(const unsigned long long*)from);
  else __gpusim_store_async((unsigned*)to, *(const unsigned*)from);
}
inline void __pipeline_commit() { __gpusim_copies_commit(); }
inline void __pipeline_wait_prior(unsigned groups) { __gpusim_copies_wait(groups); }
