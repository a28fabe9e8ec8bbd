// Memory that kernels take while they run, from the heap of the device. Its first 256 bytes are its books: how much
// was ever taken, how much there is, and for blocks of 2^k bytes, k from 4 to 32, the first of those given back. Each
// block has 16 bytes before it: its k and the next one given back, and for delete[] how many objects it holds. All
// of that is changed by atomics only, so that threads of any warp, at any time, need no lock.
extern __attribute__((device)) unsigned char gpusim_heap[];
#define HEAP_BOOKS reinterpret_cast<unsigned long long*>(gpusim_heap)
#define HEAP_NEXT 0xffffffffull  // in units of 16 bytes; above it, how often the list was changed, or k

template <int = 0> void* malloc(unsigned long bytes) {
  const int k = bytes <= 16 ? 4 : 64 - __clzll(bytes - 1);
  if (k > 32) return nullptr;
  unsigned long long* const list = HEAP_BOOKS + k - 2;
  for (unsigned long long first = atomicAdd(list, 0ull); first & HEAP_NEXT;) {
    unsigned long long* const block = HEAP_BOOKS + 2 * (first & HEAP_NEXT);
    const unsigned long long rest = ((first >> 32) + 1) << 32 | (atomicAdd(block, 0ull) & HEAP_NEXT);
    const unsigned long long seen = atomicCAS(list, first, rest);
    if (seen == first) {
      __threadfence();
      return block + 2;
    }
    first = seen;
  }
  const unsigned long long size = 16 + (1ull << k), end = HEAP_BOOKS[1];
  if (atomicAdd(HEAP_BOOKS, 0ull) + size > end) return nullptr;
  const unsigned long long start = atomicAdd(HEAP_BOOKS, size);
  if (start + size <= end) {
    unsigned long long* const block = HEAP_BOOKS + start / 8;
    atomicExch(block, static_cast<unsigned long long>(k) << 32);
    return block + 2;
  }
  // one thread alone crossed the end, and until it steps back nobody else gets anything
  if (start <= end) atomicExch(HEAP_BOOKS, start);
  return nullptr;
}

template <int = 0> void free(void* pointer) {
  if (pointer == nullptr) return;
  unsigned long long* const block = static_cast<unsigned long long*>(pointer) - 2;
  const unsigned long long k = atomicAdd(block, 0ull) >> 32, place = (block - HEAP_BOOKS) / 2;
  unsigned long long* const list = HEAP_BOOKS + k - 2;
  __threadfence();
  for (unsigned long long first = atomicAdd(list, 0ull);;) {
    atomicExch(block, k << 32 | (first & HEAP_NEXT));
    const unsigned long long seen = atomicCAS(list, first, ((first >> 32) + 1) << 32 | place);
    if (seen == first) return;
    first = seen;
  }
}

#undef HEAP_BOOKS
#undef HEAP_NEXT

// what `new` and `delete` are made of; how many objects there are stands in front of them
inline void* gpusim_new(unsigned long size, unsigned long count) {
  void* const made = malloc(size * count);
  if (made) static_cast<unsigned long*>(made)[-1] = count;
  return made;
}
inline unsigned long gpusim_count(void* objects) { return static_cast<unsigned long*>(objects)[-1]; }
inline void gpusim_delete(void* objects) { free(objects); }
