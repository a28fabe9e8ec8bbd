// What a kernel may ask the device runtime, by CUDA's names. Streams and events belong to the block that created them.
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define NUMBER(handle) reinterpret_cast<unsigned long>(handle)

// what was asked for is stored, and the error returned: below zero it is an error's number, negated
inline cudaError_t gpusim_error(long found) { return found < 0 ? (cudaError_t)-found : cudaSuccess; }
template <class T> inline cudaError_t gpusim_got(T* into, long found) {
  if (found >= 0) *into = (T)found;
  return gpusim_error(found);
}

template <int = 0> cudaError_t cudaGetLastError() { return (cudaError_t)__gpusim_last_error(); }
template <int = 0> cudaError_t cudaPeekAtLastError() { return (cudaError_t)__gpusim_peek_error(); }
template <int = 0> cudaError_t cudaDeviceSynchronize() { return (cudaError_t)__gpusim_await_children(); }
template <int = 0> cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const long made = __gpusim_create_stream(flags);
  *stream = reinterpret_cast<cudaStream_t>(made);
  return cudaSuccess;
}
template <int = 0> cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return (cudaError_t)__gpusim_destroy_stream(NUMBER(stream));
}
template <int = 0> cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0) {
  return (cudaError_t)__gpusim_wait_event(NUMBER(stream), NUMBER(event), flags);
}
template <int = 0> cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  const long made = __gpusim_create_event(flags);
  *event = reinterpret_cast<cudaEvent_t>(made < 0 ? 0 : made);
  return gpusim_error(made);
}
template <int = 0> cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0) {
  return (cudaError_t)__gpusim_record_event(NUMBER(event), NUMBER(stream));
}
template <int = 0> cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return (cudaError_t)__gpusim_destroy_event(NUMBER(event));
}

// memory: one call for one, two and three dimensions, of rows of `width` bytes
#define WHOLE(pointer) NUMBER((pointer).ptr), (pointer).pitch, (pointer).pitch * (pointer).ysize
#define AT(place, pointer) NUMBER((pointer).ptr) + (place).x + (pointer).pitch * ((place).y + (pointer).ysize * (place).z)
template <int = 0> cudaError_t cudaMemcpyAsync(
    void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = 0) {
  return (cudaError_t)__gpusim_copy(
      NUMBER(to), bytes, bytes, NUMBER(from), bytes, bytes, kind, bytes, 1, 1, NUMBER(stream));
}
template <int = 0> cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
    size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream = 0) {
  return (cudaError_t)__gpusim_copy(NUMBER(to), to_pitch, to_pitch * height, NUMBER(from), from_pitch,
      from_pitch * height, kind, width, height, 1, NUMBER(stream));
}
struct cudaMemcpy3DParms {
  struct cudaArray* srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  struct cudaArray* dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};
template <int = 0> cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream = 0) {
  __gpusim_insist(!p->srcArray && !p->dstArray, "a kernel copies no CUDA arrays: give srcPtr and dstPtr alone");
  return (cudaError_t)__gpusim_copy(AT(p->dstPos, p->dstPtr), p->dstPtr.pitch, p->dstPtr.pitch * p->dstPtr.ysize,
      AT(p->srcPos, p->srcPtr), p->srcPtr.pitch, p->srcPtr.pitch * p->srcPtr.ysize, p->kind, p->extent.width,
      p->extent.height, p->extent.depth, NUMBER(stream));
}
template <int = 0> cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream = 0) {
  return (cudaError_t)__gpusim_set(NUMBER(to), bytes, bytes, value, bytes, 1, 1, NUMBER(stream));
}
template <int = 0> cudaError_t cudaMemset2DAsync(
    void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream = 0) {
  return (cudaError_t)__gpusim_set(NUMBER(to), pitch, pitch * height, value, width, height, 1, NUMBER(stream));
}
template <int = 0> cudaError_t cudaMemset3DAsync(
    cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream = 0) {
  return (cudaError_t)__gpusim_set(
      WHOLE(to), value, extent.width, extent.height, extent.depth, NUMBER(stream));
}
template <int = 0> cudaPitchedPtr make_cudaPitchedPtr(void* ptr, size_t pitch, size_t xsize, size_t ysize) {
  return {ptr, pitch, xsize, ysize};
}
template <int = 0> cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
template <int = 0> cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
#undef WHOLE
#undef AT
template <class T> cudaError_t cudaMalloc(T** pointer, size_t bytes) {
  *pointer = bytes ? (T*)malloc(bytes) : nullptr;
  return *pointer || !bytes ? cudaSuccess : (cudaError_t)__gpusim_no_memory();
}
template <int = 0> cudaError_t cudaFree(void* pointer) {
  free(pointer);
  return cudaSuccess;
}

// the device
#define SAY(name, number, text) case name: return #name;
template <int = 0> const char* cudaGetErrorName(cudaError_t error) {
  switch (error) { GPUSIM_ERRORS(SAY) }
  return "unrecognized error code";
}
#undef SAY
#define SAY(name, number, text) case name: return text;
template <int = 0> const char* cudaGetErrorString(cudaError_t error) {
  switch (error) { GPUSIM_ERRORS(SAY) }
  return "unrecognized error code";
}
#undef SAY
enum cudaFuncCache {
  cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual
};
enum cudaLimit {
  cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize, cudaLimitDevRuntimeSyncDepth,
  cudaLimitDevRuntimePendingLaunchCount
};
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ,
  cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ, cudaDevAttrMaxSharedMemoryPerBlock,
  cudaDevAttrTotalConstantMemory, cudaDevAttrWarpSize, cudaDevAttrMaxRegistersPerBlock = 12, cudaDevAttrClockRate,
  cudaDevAttrMultiProcessorCount = 16, cudaDevAttrL2CacheSize = 38, cudaDevAttrMaxThreadsPerMultiProcessor,
  cudaDevAttrComputeCapabilityMajor = 75, cudaDevAttrComputeCapabilityMinor, cudaDevAttrGlobalL1CacheSupported = 79,
  cudaDevAttrLocalL1CacheSupported, cudaDevAttrMaxSharedMemoryPerMultiprocessor,
  cudaDevAttrMaxRegistersPerMultiprocessor, cudaDevAttrSingleToDoublePrecisionPerfRatio = 87,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97, cudaDevAttrMaxBlocksPerMultiprocessor = 106,
  cudaDevAttrReservedSharedMemoryPerBlock = 111
};
template <int = 0> cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* into) {
  return gpusim_got(into, __gpusim_cache_config());
}
template <int = 0> cudaError_t cudaDeviceGetLimit(size_t* into, cudaLimit limit) {
  return gpusim_got(into, __gpusim_limit(limit));
}
template <int = 0> cudaError_t cudaDeviceGetAttribute(int* into, cudaDeviceAttr which, int device) {
  return gpusim_got(into, __gpusim_attribute(which, device));
}
template <int = 0> cudaError_t cudaGetDeviceCount(int* into) { return gpusim_got(into, __gpusim_device_count()); }
template <int = 0> cudaError_t cudaGetDevice(int* into) { return gpusim_got(into, __gpusim_device()); }
template <int = 0> cudaError_t cudaRuntimeGetVersion(int* into) { return gpusim_got(into, __gpusim_version()); }

// kernels: `kernel` is the name of one
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, maxDynamicSharedSizeBytes, preferredShmemCarveout;
};
template <class T> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* into, T kernel) {
  into->sharedSizeBytes = __gpusim_need(NUMBER(kernel), 0);
  into->constSizeBytes = __gpusim_need(NUMBER(kernel), 1);
  into->localSizeBytes = __gpusim_need(NUMBER(kernel), 2);
  into->maxThreadsPerBlock = __gpusim_need(NUMBER(kernel), 3);
  into->numRegs = __gpusim_need(NUMBER(kernel), 4);
  into->maxDynamicSharedSizeBytes = __gpusim_need(NUMBER(kernel), 5);
  into->preferredShmemCarveout = __gpusim_need(NUMBER(kernel), 6) - 1;
  return cudaSuccess;
}
template <class T> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int* blocks, T kernel, int threads, size_t bytes) {
  return gpusim_got(blocks, __gpusim_resident(NUMBER(kernel), threads, bytes));
}
// of all block sizes the one with most resident threads, and of equals the largest
template <class T, class F> cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    int* grid, int* block, T kernel, F bytes, int limit = 0) {
  int most = __gpusim_need(NUMBER(kernel), 3), fullest = 0;
  if (limit > 0 && limit < most) most = limit;
  *grid = *block = 0;
  for (int size = (most + warpSize - 1) / warpSize * warpSize; size > 0; size -= warpSize) {
    const int threads = size < most ? size : most;
    const int blocks = __gpusim_resident(NUMBER(kernel), threads, bytes(threads));
    if (blocks * threads > fullest) fullest = blocks * threads, *block = threads, *grid = blocks;
  }
  *grid *= __gpusim_attribute(cudaDevAttrMultiProcessorCount, 0);
  return cudaSuccess;
}
template <class T> cudaError_t cudaOccupancyMaxPotentialBlockSize(
    int* grid, int* block, T kernel, size_t bytes = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, [=](int) { return bytes; }, limit);
}

// Launches as PTX has them: of a kernel by its address, whose parameters are in a buffer.
template <int = 0> void* cudaGetParameterBuffer(size_t alignment, size_t size) {
  return reinterpret_cast<void*>(__gpusim_parameter_buffer(size, 0, 0, 0, 0));
}
template <int = 0> void* cudaGetParameterBufferV2(void* func, dim3 grid, dim3 block, unsigned shared_bytes) {
  if (!func) return nullptr;
  return reinterpret_cast<void*>(
      __gpusim_parameter_buffer(__gpusim_parameter_bytes(NUMBER(func)), NUMBER(func), grid, block, shared_bytes));
}
template <int = 0> cudaError_t cudaLaunchDevice(
    void* func, void* buffer, dim3 grid, dim3 block, unsigned shared_bytes = 0, cudaStream_t stream = 0) {
  return (cudaError_t)__gpusim_launch(
      NUMBER(func), NUMBER(buffer), grid, block, shared_bytes, NUMBER(stream));
}
template <int = 0> cudaError_t cudaLaunchDeviceV2(void* buffer, cudaStream_t stream) {
#define PLANNED(which) (unsigned)__gpusim_planned(NUMBER(buffer), which)
  return (cudaError_t)__gpusim_launch(__gpusim_planned(NUMBER(buffer), 0), NUMBER(buffer),
      dim3(PLANNED(1), PLANNED(2), PLANNED(3)), dim3(PLANNED(4), PLANNED(5), PLANNED(6)), PLANNED(7),
      NUMBER(stream));
#undef PLANNED
}
#undef NUMBER
#undef GPUSIM_ERRORS
