// What the compiler gives C++ in its own words: bits as another type, sums that say whether they fit.
template <class T, class U> inline T gpusim_bit_cast(const U& x) {
  static_assert(sizeof(T) == sizeof(U), "both types of a bit cast have one size");
  T y;
  memcpy(&y, &x, sizeof(T));
  return y;
}
template <class A, class B, class R> inline bool gpusim_add_overflow(A a, B b, R* sum) {
  *sum = (R)((unsigned long long)a + (unsigned long long)b);
  if constexpr (sizeof(A) < 8 && sizeof(B) < 8) {
    const long long all = (long long)a + (long long)b;
    return (long long)*sum != all || (all < 0) != (*sum < 0);
  } else {
    static_assert(std::is_same<A, B>::value && std::is_same<A, R>::value, "numbers of 64 bits have one type");
    return A(-1) < 0 ? ((a ^ *sum) & (b ^ *sum)) < 0 : *sum < a;
  }
}
template <class A, class B, class R> inline bool gpusim_sub_overflow(A a, B b, R* rest) {
  *rest = (R)((unsigned long long)a - (unsigned long long)b);
  if constexpr (sizeof(A) < 8 && sizeof(B) < 8) {
    const long long all = (long long)a - (long long)b;
    return (long long)*rest != all || (all < 0) != (*rest < 0);
  } else {
    static_assert(std::is_same<A, B>::value && std::is_same<A, R>::value, "numbers of 64 bits have one type");
    return A(-1) < 0 ? ((a ^ b) & (a ^ *rest)) < 0 : a < b;
  }
}
template <class A, class B, class R> inline bool gpusim_mul_overflow(A a, B b, R* product) {
  *product = (R)((unsigned long long)a * (unsigned long long)b);
  if constexpr (sizeof(A) < 8 && sizeof(B) < 8 && (A(-1) < 0 || B(-1) < 0)) {
    const long long all = (long long)a * (long long)b;
    return (long long)*product != all || (all < 0) != (*product < 0);
  } else if constexpr (sizeof(A) < 8 && sizeof(B) < 8) {
    return *product < 0 || (unsigned long long)*product != (unsigned long long)a * (unsigned long long)b;
  } else {
    static_assert(std::is_same<A, B>::value && std::is_same<A, R>::value, "numbers of 64 bits have one type");
    return A(-1) < 0 ? __mul64hi(a, b) != (long long)*product >> 63 : __umul64hi(a, b) != 0;
  }
}
