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

template <int = 0> cudaError_t cudaGetLastError() { return (cudaError_t)__gpusim_last_error(); }
template <int = 0> cudaError_t cudaPeekAtLastError() { return (cudaError_t)__gpusim_peek_error(); }
template <int = 0> cudaError_t cudaDeviceSynchronize() { return (cudaError_t)__gpusim_await_children(); }
template <int = 0> cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  *stream = reinterpret_cast<cudaStream_t>(__gpusim_create_stream(flags));
  return cudaSuccess;
}
template <int = 0> cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return (cudaError_t)__gpusim_destroy_stream(NUMBER(stream));
}
template <int = 0> cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0) {
  return (cudaError_t)__gpusim_wait_event(NUMBER(stream), NUMBER(event), flags);
}
template <int = 0> cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  const unsigned long made = __gpusim_create_event(flags);
  *event = reinterpret_cast<cudaEvent_t>(made);
  return made ? cudaSuccess : cudaErrorInvalidValue;
}
template <int = 0> cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0) {
  return (cudaError_t)__gpusim_record_event(NUMBER(event), NUMBER(stream));
}
template <int = 0> cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return (cudaError_t)__gpusim_destroy_event(NUMBER(event));
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
