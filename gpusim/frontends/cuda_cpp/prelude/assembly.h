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
