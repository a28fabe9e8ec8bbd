// <cuda_bf16.h>: the upper half of a float, computed in float and rounded to the nearest even.
#pragma once
struct __nv_bfloat16 {
  unsigned short __x;
  __nv_bfloat16() = default;
  __nv_bfloat16(float value) {
    unsigned bits = __float_as_uint(value);
    __x = value != value ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  }
  __nv_bfloat16(double value) : __nv_bfloat16(static_cast<float>(value)) {}
  __nv_bfloat16(int value) : __nv_bfloat16(static_cast<float>(value)) {}
  __nv_bfloat16(unsigned value) : __nv_bfloat16(static_cast<float>(value)) {}
  __nv_bfloat16(long long value) : __nv_bfloat16(static_cast<float>(value)) {}
  operator float() const { return __uint_as_float(static_cast<unsigned>(__x) << 16); }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

inline float __bfloat162float(__nv_bfloat16 a) { return a; }
inline __nv_bfloat16 __float2bfloat16(float a) { return a; }
inline __nv_bfloat16 __float2bfloat16_rn(float a) { return a; }
inline __nv_bfloat16 __double2bfloat16(double a) { return a; }
inline __nv_bfloat16 __int2bfloat16_rn(int a) { return a; }
inline int __bfloat162int_rz(__nv_bfloat16 a) { return static_cast<int>(static_cast<float>(a)); }
inline __nv_bfloat162 __float2bfloat162_rn(float a) { return {a, a}; }
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {a, b}; }
inline __nv_bfloat162 __float22bfloat162_rn(float2 a) { return {a.x, a.y}; }
inline float2 __bfloat1622float2(__nv_bfloat162 a) { return {a.x, a.y}; }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
inline float __low2float(__nv_bfloat162 a) { return a.x; }
inline float __high2float(__nv_bfloat162 a) { return a.y; }
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
inline short __bfloat16_as_short(__nv_bfloat16 a) { return a.__x; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  __nv_bfloat16 made;
  made.__x = bits;
  return made;
}

#define OPERATION(sign, name) \
  inline __nv_bfloat16 operator sign(__nv_bfloat16 a, __nv_bfloat16 b) { \
    return static_cast<float>(a) sign static_cast<float>(b); \
  } \
  inline __nv_bfloat16& operator sign##=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = a sign b; } \
  inline __nv_bfloat16 __h##name(__nv_bfloat16 a, __nv_bfloat16 b) { return a sign b; } \
  inline __nv_bfloat162 operator sign(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x sign b.x, a.y sign b.y}; } \
  inline __nv_bfloat162& operator sign##=(__nv_bfloat162& a, __nv_bfloat162 b) { return a = a sign b; }
OPERATION(+, add)
OPERATION(-, sub)
OPERATION(*, mul)
OPERATION(/, div)
#undef OPERATION
inline __nv_bfloat16 operator-(__nv_bfloat16 a) { return -static_cast<float>(a); }
inline __nv_bfloat162 operator-(__nv_bfloat162 a) { return {-a.x, -a.y}; }
inline __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return a + b; }
inline __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return a - b; }
inline __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return a * b; }
inline __nv_bfloat16 __hneg(__nv_bfloat16 a) { return -a; }
inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return fmaf(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
}
inline __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}

#define COMPARISON(sign, name) \
  inline bool operator sign(__nv_bfloat16 a, __nv_bfloat16 b) { \
    return static_cast<float>(a) sign static_cast<float>(b); \
  } \
  inline bool __h##name(__nv_bfloat16 a, __nv_bfloat16 b) { return a sign b; }
COMPARISON(==, eq)
COMPARISON(!=, ne)
COMPARISON(<, lt)
COMPARISON(<=, le)
COMPARISON(>, gt)
COMPARISON(>=, ge)
#undef COMPARISON
inline __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return fmaxf(a, b); }
inline __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return fminf(a, b); }
inline __nv_bfloat16 __habs(__nv_bfloat16 a) { return fabsf(a); }
inline bool __hisnan(__nv_bfloat16 a) { return a.__x << 1 > 0xff00; }

#define FUNCTION(name) \
  inline __nv_bfloat16 h##name(__nv_bfloat16 a) { return name##f(a); }
FUNCTION(exp) FUNCTION(exp2) FUNCTION(log) FUNCTION(log2) FUNCTION(sqrt) FUNCTION(rsqrt) FUNCTION(sin) FUNCTION(cos)
FUNCTION(floor) FUNCTION(ceil) FUNCTION(trunc) FUNCTION(rint)
#undef FUNCTION

#define EXCHANGE(name, T) \
  inline __nv_bfloat16 name(decltype(__activemask()) mask, __nv_bfloat16 a, T lane, int width = warpSize) { \
    return __ushort_as_bfloat16(name(mask, static_cast<int>(a.__x), lane, width)); \
  }
EXCHANGE(__shfl_sync, int)
EXCHANGE(__shfl_xor_sync, int)
EXCHANGE(__shfl_up_sync, unsigned)
EXCHANGE(__shfl_down_sync, unsigned)
#undef EXCHANGE
inline __nv_bfloat16 __ldg(const __nv_bfloat16* p) { return *p; }

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)
