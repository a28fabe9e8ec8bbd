"""Which macros stand before the first line of a kernel, and which headers are known?

A kernel that nvcc compiles has `cuda_runtime.h` in front of it, whether it asks or not, and through it limits
of C and constants of `math.h`. `predefined` gives those, with what the compiler itself defines for a device:
`__CUDA_ARCH__` is 900 on an H200. The other headers that are known declare what a kernel has anyway
(`float4`, `sqrtf`), or what host code uses, which is not run: they expand to nothing.
"""

from __future__ import annotations

from gpusim.devices import Device

# nvcc's own; MetaX's compiler takes CUDA's names too, so that one text serves both.
COMPILER = """
__cplusplus 201703L
__CUDACC__ 1
__NVCC__ 1
__CUDACC_VER_MAJOR__ 12
__CUDACC_VER_MINOR__ 8
__CUDACC_VER_BUILD__ 93
CUDART_VERSION 12080
CUDA_VERSION 12080
__GNUC__ 13
__GNUC_MINOR__ 3
__linux__ 1
__x86_64__ 1
__LP64__ 1
__CHAR_BIT__ 8
"""
MACA = """
__MACA__ 1
__MACACC__ 1
__MACA_ARCH__ 1000
"""

# Spellings that mean a word of the grammar, or nothing for a kernel's results.
SPELLINGS = """
__align__(bytes) alignas(bytes)
__builtin_align__(bytes) alignas(bytes)
__restrict __restrict__
__inline inline
__inline__ inline
__forceinline __forceinline__
__volatile volatile
__volatile__ volatile
__const const
__const__ const
__signed__ signed
__extension__
__maxnreg__(registers)
__nv_pure__
__builtin_expect(value, expected) (value)
__builtin_assume(condition) ((void)0)
_Pragma(text)
"""

# Annotations of verification tools (GPUVerify and its kin): claims about the kernel, no part of its work.
# Each is an expression, since it may stand in a loop's condition: for (; __invariant(i <= n), i < n; i++).
ANNOTATIONS = """
__requires(condition) ((void)0)
__ensures(condition) ((void)0)
__invariant(condition) ((void)0)
__global_invariant(condition) ((void)0)
__function_wide_invariant(condition) ((void)0)
__function_wide_candidate_invariant(condition) ((void)0)
__candidate_invariant(condition) ((void)0)
__candidate_assert(condition) ((void)0)
__candidate_global_assert(condition) ((void)0)
__global_requires(condition) ((void)0)
__global_ensures(condition) ((void)0)
__non_temporal(condition) ((void)0)
__assume(condition) ((void)0)
__assert(condition) assert(condition)
__global_assert(condition) assert(condition)
__axiom(condition)
"""

# <limits.h>, <float.h>, <stdint.h>, <math.h>
LIMITS = """
CHAR_BIT 8
SCHAR_MIN (-128)
SCHAR_MAX 127
UCHAR_MAX 255
CHAR_MIN (-128)
CHAR_MAX 127
SHRT_MIN (-32768)
SHRT_MAX 32767
USHRT_MAX 65535
INT_MIN (-2147483647 - 1)
INT_MAX 2147483647
UINT_MAX 4294967295U
LONG_MIN (-9223372036854775807L - 1L)
LONG_MAX 9223372036854775807L
ULONG_MAX 18446744073709551615UL
LLONG_MIN (-9223372036854775807LL - 1LL)
LLONG_MAX 9223372036854775807LL
ULLONG_MAX 18446744073709551615ULL
INT8_MIN (-128)
INT8_MAX 127
UINT8_MAX 255
INT16_MIN (-32768)
INT16_MAX 32767
UINT16_MAX 65535
INT32_MIN (-2147483647 - 1)
INT32_MAX 2147483647
UINT32_MAX 4294967295U
INT64_MIN (-9223372036854775807L - 1L)
INT64_MAX 9223372036854775807L
UINT64_MAX 18446744073709551615UL
SIZE_MAX 18446744073709551615UL
PTRDIFF_MAX 9223372036854775807L
INTPTR_MAX 9223372036854775807L
UINTPTR_MAX 18446744073709551615UL
FLT_RADIX 2
FLT_DIG 6
FLT_MANT_DIG 24
FLT_MIN_EXP (-125)
FLT_MAX_EXP 128
FLT_MIN 1.17549435e-38F
FLT_MAX 3.40282347e+38F
FLT_EPSILON 1.19209290e-7F
DBL_DIG 15
DBL_MANT_DIG 53
DBL_MIN_EXP (-1021)
DBL_MAX_EXP 1024
DBL_MIN 2.2250738585072014e-308
DBL_MAX 1.7976931348623157e+308
DBL_EPSILON 2.2204460492503131e-16
INFINITY __int_as_float(0x7f800000)
NAN __int_as_float(0x7fc00000)
HUGE_VALF __int_as_float(0x7f800000)
HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)
M_E 2.7182818284590452354
M_LOG2E 1.4426950408889634074
M_LOG10E 0.43429448190325182765
M_LN2 0.69314718055994530942
M_LN10 2.30258509299404568402
M_PI 3.14159265358979323846
M_PI_2 1.57079632679489661923
M_PI_4 0.78539816339744830962
M_1_PI 0.31830988618379067154
M_2_PI 0.63661977236758134308
M_2_SQRTPI 1.12837916709551257390
M_SQRT2 1.41421356237309504880
M_SQRT1_2 0.70710678118654752440
"""

# <math_constants.h>, which a kernel has to include.
MATH_CONSTANTS = """
CUDART_INF_F __int_as_float(0x7f800000)
CUDART_NAN_F __int_as_float(0x7fffffff)
CUDART_MIN_DENORM_F __int_as_float(0x00000001)
CUDART_MAX_NORMAL_F __int_as_float(0x7f7fffff)
CUDART_NEG_ZERO_F __int_as_float(0x80000000)
CUDART_ZERO_F 0.0f
CUDART_ONE_F 1.0f
CUDART_SQRT_HALF_F 0.707106781f
CUDART_SQRT_TWO_F 1.414213562f
CUDART_THIRD_F 0.333333333f
CUDART_PIO4_F 0.785398163f
CUDART_PIO2_F 1.570796327f
CUDART_3PIO4_F 2.356194490f
CUDART_2_OVER_PI_F 0.636619772f
CUDART_PI_F 3.141592654f
CUDART_L2E_F 1.442695041f
CUDART_L2T_F 3.321928094f
CUDART_LG2_F 0.301029996f
CUDART_LGE_F 0.434294482f
CUDART_LN2_F 0.693147181f
CUDART_LNT_F 2.302585093f
CUDART_LNPI_F 1.144729886f
CUDART_TWO_TO_M126_F 1.175494351e-38f
CUDART_NORM_HUGE_F 3.402823466e38f
CUDART_INF __longlong_as_double(0x7ff0000000000000ULL)
CUDART_NAN __longlong_as_double(0xfff8000000000000ULL)
CUDART_NEG_ZERO __longlong_as_double(0x8000000000000000ULL)
CUDART_MIN_DENORM __longlong_as_double(0x0000000000000001ULL)
CUDART_ZERO 0.0
CUDART_ONE 1.0
CUDART_SQRT_TWO 1.4142135623730951e+0
CUDART_SQRT_HALF 7.0710678118654757e-1
CUDART_THIRD 3.3333333333333333e-1
CUDART_PIO4 7.8539816339744828e-1
CUDART_PIO2 1.5707963267948966e+0
CUDART_3PIO4 2.3561944901923448e+0
CUDART_2_OVER_PI 6.3661977236758138e-1
CUDART_PI 3.1415926535897931e+0
CUDART_L2E 1.4426950408889634e+0
CUDART_LN2 6.9314718055994529e-1
"""

# Headers that are known; "dir/" stands for all below it. Not here: those whose functions kernels would miss.
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

HEADER_MACROS = {"math_constants.h": MATH_CONSTANTS}
_OPERATORS = "write the operators that the kernel uses: __device__ float3 operator+(float3 a, float3 b) {…}"
NOT_OFFERED = {
    "curand_kernel.h": "pass random numbers in as an array, or write the generator as a __device__ function",
    "helper_math.h": _OPERATORS,
    "cutil_math.h": _OPERATORS,
}


def predefined(device: Device) -> str:
    """What does the compiler define for this device, one macro a line? `__CUDA_ARCH__ 900` for an H200."""
    major, minor = device.compute_capability or (8, 0)  # what MACA reports to CUDA programs for a C500
    own = MACA if device.warp_size == 64 else ""
    architecture = f"__CUDA_ARCH__ {major * 100 + minor * 10}\n"
    return architecture + COMPILER + own + SPELLINGS + ANNOTATIONS + LIMITS


def headers(device: Device) -> frozenset[str]:
    """Which headers may a text for this device include?"""
    texts = (CUDA_HEADERS, STANDARD_HEADERS, SAMPLE_HEADERS, MACA_HEADERS if device.warp_size == 64 else "")
    return frozenset(" ".join(texts).split())
