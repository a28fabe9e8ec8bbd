// What instructions of inline assembly do that C++ has no operator for: registers hold bits, of whatever type.
template <class T, class U> inline T gpusim_as(U x) {
  if constexpr (sizeof(T) == sizeof(U) && __is_floating_point(T) != __is_floating_point(U)) {
    T y;
    memcpy(&y, &x, sizeof(T));
    return y;
  } else {
    return (T)x;
  }
}
// a pointer, or an address in shared memory as __cvta_generic_to_shared gave it
inline const char* gpusim_in_shared(const volatile void* at) { return (const char*)at; }
inline const char* gpusim_in_shared(unsigned long at) { return (const char*)(__GPUSIM_SHARED + at); }
// 4, 8 or 16 bytes on their way to shared memory, of which the last `zeros` are zeros
inline void gpusim_copy_async(void* to, const void* from, unsigned long bytes, unsigned long zeros) {
  __assert_that(bytes == 4 || bytes == 8 || bytes == 16, "bytes == 4 || bytes == 8 || bytes == 16");
  __assert_that(zeros <= bytes, "zeros <= bytes");
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
template <class T> inline T gpusim_bfe(T x, unsigned from, unsigned width) {
  from &= 255, width &= 255;
  const unsigned bits = sizeof(T) * 8;
  const bool negative = T(-1) < 0;
  if (!width) return 0;
  const bool sign = negative && (x >> (from + width < bits ? from + width - 1 : bits - 1) & 1);
  T found = from < bits ? x >> from : sign ? T(-1) : T(0);
  if (width < bits) {
    const T mask = (T(1) << width) - 1;
    found = sign ? found | ~mask : found & mask;
  }
  return found;
}
template <class T> inline T gpusim_bfi(T x, T into, unsigned from, unsigned width) {
  from &= 255, width &= 255;
  const unsigned bits = sizeof(T) * 8;
  const T mask = (width < bits ? (T(1) << width) - 1 : T(-1)) << from;
  return width && from < bits ? (into & ~mask) | (x << from & mask) : into;
}
template <class T> inline unsigned gpusim_bfind(T x) {
  if (T(-1) < 0 && x < 0) x = ~x;
  return sizeof(T) == 8 ? 63 - __clzll(x) : 31 - __clz(x);
}
template <unsigned TABLE> inline unsigned gpusim_lop3(unsigned a, unsigned b, unsigned c) {
  unsigned found = 0;
  if constexpr (TABLE & 1) found |= ~a & ~b & ~c;
  if constexpr (TABLE & 2) found |= ~a & ~b & c;
  if constexpr (TABLE & 4) found |= ~a & b & ~c;
  if constexpr (TABLE & 8) found |= ~a & b & c;
  if constexpr (TABLE & 16) found |= a & ~b & ~c;
  if constexpr (TABLE & 32) found |= a & ~b & c;
  if constexpr (TABLE & 64) found |= a & b & ~c;
  if constexpr (TABLE & 128) found |= a & b & c;
  return found;
}
