"""Which headers may a text include without having them? What they declare is there anyway, or is the host's.

A header that is neither here nor in a folder is not found; that stops no kernel, unless one needs its names.
"""

from __future__ import annotations

from gpusim.devices import Device

# "dir/" stands for all below it
CUDA_HEADERS = """
cuda.h cuda_runtime.h cuda_runtime_api.h cuda_device_runtime_api.h device_launch_parameters.h
device_functions.h device_atomic_functions.h sm_20_intrinsics.h sm_30_intrinsics.h sm_60_atomic_functions.h
math_functions.h math_constants.h vector_types.h vector_functions.h builtin_types.h driver_types.h
cooperative_groups.h cooperative_groups/ cuda_fp16.h cuda_bf16.h cuda_fp8.h mma.h
cuda_pipeline.h cuda_awbarrier.h cuda_profiler_api.h nvtx3/ curand.h cublas_v2.h cufft.h thrust/ cuda/ nv/
texture_types.h surface_types.h host_defines.h crt/
"""
STANDARD_HEADERS = """
assert.h ctype.h errno.h float.h inttypes.h limits.h locale.h math.h memory.h setjmp.h signal.h stdalign.h
stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h time.h unistd.h malloc.h sys/time.h
sys/types.h sys/stat.h cassert cctype cerrno cfenv cfloat cinttypes climits cmath cstdarg cstddef cstdint
cstdio cstdlib cstring ctime algorithm any array atomic bit bitset chrono complex concepts
condition_variable deque exception execution filesystem fstream functional future initializer_list iomanip
ios iosfwd iostream istream iterator limits list map memory mutex new numbers numeric optional ostream queue
random ranges ratio regex set span sstream stack stdexcept streambuf string string_view system_error thread
tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector
"""
# What books and samples ship beside their kernels for host code: error checks, timers, images.
SAMPLE_HEADERS = """
helper_cuda.h helper_functions.h helper_string.h helper_timer.h helper_image.h helper_gl.h
cutil.h cutil_inline.h book.h cpu_bitmap.h cpu_anim.h common.h common/common.h common/book.h
../common/common.h ../common/book.h ../common/cpu_bitmap.h ../common/cpu_anim.h
cuda_utils.h error_check.h gputimer.h wb.h freshman.h
"""
MACA_HEADERS = """
mc_runtime.h mc_runtime_api.h mc_runtime_types.h mc_common.h maca.h maca_fp16.h maca_bfloat16.h mcr/
maca_cooperative_groups.h common/maca_fp16.h common/maca_bfloat16.h mc_device_runtime_api.h __clang_maca/
"""

_OPERATORS = "write the operators that the kernel uses: __device__ float3 operator+(float3 a, float3 b) {…}"
_RANDOM = "pass random numbers in as an array, or write the generator as a __device__ function"
NOT_OFFERED = {"curand_kernel.h": _RANDOM, "helper_math.h": _OPERATORS, "cutil_math.h": _OPERATORS}


def is_known(name: str, device: Device) -> bool:
    """Is nothing missing where this header is not found?"""
    texts = (CUDA_HEADERS, STANDARD_HEADERS, SAMPLE_HEADERS, MACA_HEADERS if device.warp_size == 64 else "")
    known = frozenset(" ".join(texts).split())
    return name in known or f"{name.partition('/')[0]}/" in known


def advice(name: str) -> str:
    """What to do about a header that was not found."""
    return NOT_OFFERED.get(name, "name its folder with options=('-I…',), or paste what the kernel needs")
