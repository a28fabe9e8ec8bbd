// Memory that kernels take while they run, from the heap of the device. It begins with its books, 8 KiB: how much was
// ever taken, how much there is, and lists of blocks that were given back: 32 for each size of 2^k bytes, k from 4 to
// 32, so that the lanes of a warp are not in each other's way. Each block has 16 bytes before it: its list and the next
// block in it, or that it is taken; and for delete[] how many objects it holds. All that changes is changed by atomics, without a lock.
extern __attribute__((device)) unsigned char gpusim_heap[];
#define HEAP reinterpret_cast<unsigned long long*>(gpusim_heap)
#define FIRST 8208  // behind the books, and a block's own 16 bytes
#define TAKEN (1ull << 63)
#define NEXT 0xffffffffull  // a block, in units of 16 bytes; above it, how often the list was changed, or a block's list

template <int = 0> void* malloc(unsigned long bytes) {
  const unsigned k = bytes <= 16 ? 4 : 64 - __clzll(bytes - 1), own = threadIdx.x + threadIdx.y * blockDim.x;
  if (k > 32) return nullptr;
  const unsigned long long size = 16 + (1ull << k), end = HEAP[1];
  for (unsigned turn = 0; turn < 32; ++turn) {
    const unsigned number = (k - 3) * 32 + (own + turn) % 32;
    for (unsigned long long first = atomicAdd(HEAP + number, 0ull); first & NEXT;) {
      unsigned long long* const block = HEAP + 2 * (first & NEXT);
      const unsigned long long rest = ((first >> 32) + 1) << 32 | (atomicAdd(block, 0ull) & NEXT);
      const unsigned long long seen = atomicCAS(HEAP + number, first, rest);
      if (seen == first) {
        atomicOr(block, TAKEN);
        __threadfence();
        return block + 2;
      }
      first = seen;
    }
    if (turn == 0 && atomicAdd(HEAP, 0ull) + size <= end) {
      const unsigned long long start = atomicAdd(HEAP, size);
      if (start + size <= end) {
        unsigned long long* const block = HEAP + start / 8;
        atomicExch(block, TAKEN | static_cast<unsigned long long>(number) << 32);
        return block + 2;
      }
      // one thread alone crossed the end, and until it steps back nobody else gets anything
      if (start <= end) atomicExch(HEAP, start);
    }
  }
  return nullptr;
}

template <int = 0> void free(void* pointer) {
  if (pointer == nullptr) return;
  const unsigned long long distance = static_cast<unsigned char*>(pointer) - gpusim_heap;
  __gpusim_insist(distance >= FIRST && distance < HEAP[1] && distance % 16 == 0, "a kernel gives back with free, delete "
    "and cudaFree what a kernel has taken with malloc, new and cudaMalloc; this pointer is none of that: memory that the "
    "host took with cudaMalloc the host gives back with cudaFree, and arrays end by themselves");
  unsigned long long* const block = static_cast<unsigned long long*>(pointer) - 2;
#ifdef GPUSIM_SCRUB  // the room is written to as it is given back: is that ordered behind all that others do there?
  const unsigned words = 2u << (atomicAdd(block, 0ull) >> 37 & 31);
  for (unsigned word = 0; word < words; ++word) static_cast<int*>(pointer)[word] = -2;
#endif
  const unsigned long long before = atomicAnd(block, ~TAKEN);
  __gpusim_insist(before & TAKEN, "a kernel gives back once what it has taken; this memory was given back already");
  const unsigned long long number = (before & ~TAKEN) >> 32, place = (block - HEAP) / 2;
  __threadfence();
  for (unsigned long long first = atomicAdd(HEAP + number, 0ull);;) {
    atomicExch(block, number << 32 | (first & NEXT));
    const unsigned long long seen = atomicCAS(HEAP + number, first, ((first >> 32) + 1) << 32 | place);
    if (seen == first) return;
    first = seen;
  }
}
#undef GPUSIM_SCRUB  // no text is to know
#undef HEAP
#undef FIRST
#undef TAKEN
#undef NEXT

// what `new` and `delete` are made of; how many objects there are stands in front of them
inline void* gpusim_new(unsigned long size, unsigned long count) {
  void* const made = malloc(size * count);
  if (made) static_cast<unsigned long*>(made)[-1] = count;
  return made;
}
inline unsigned long gpusim_count(void* objects) { return static_cast<unsigned long*>(objects)[-1]; }
inline void gpusim_delete(void* objects) { free(objects); }
