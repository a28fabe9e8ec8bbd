// Operators of __half2, and the bits of __half as a struct; its operators are the compiler's own.
#define OPERATOR(sign, name) \
  template <int = 0> inline __half2 operator sign(__half2 a, __half2 b) { return name(a, b); } \
  template <int = 0> inline __half2& operator sign##=(__half2& a, __half2 b) { return a = name(a, b); }
OPERATOR(+, __hadd2)
OPERATOR(-, __hsub2)
OPERATOR(*, __hmul2)
OPERATOR(/, __h2div)
#undef OPERATOR
#define OPERATOR(sign, name) \
  template <int = 0> inline bool operator sign(__half2 a, __half2 b) { return name(a, b); }
OPERATOR(==, __hbeq2)
OPERATOR(!=, __hbne2)
OPERATOR(<, __hblt2)
OPERATOR(<=, __hble2)
OPERATOR(>, __hbgt2)
OPERATOR(>=, __hbge2)
#undef OPERATOR
template <int = 0> inline __half2 operator-(__half2 a) { return __hneg2(a); }
template <int = 0> inline __half2 operator+(__half2 a) { return a; }
struct __half_raw {
  unsigned short x;
  __half_raw() = default;
  __half_raw(__half value) : x(__half_as_ushort(value)) {}
  operator __half() const { return __ushort_as_half(x); }
};
