// What kernels may take of C++'s library: <limits>, <type_traits>, <utility>, <array>, <initializer_list>, and
// a little of <algorithm> and <functional>; and those functions of CUDA that C++ has, too.
namespace std {
  using ::abs; using ::acos; using ::acosh; using ::asin; using ::asinh; using ::atan; using ::atan2;
  using ::atanh; using ::cbrt; using ::ceil; using ::copysign; using ::cos; using ::cosh; using ::erf;
  using ::erfc; using ::exp; using ::exp2; using ::expm1; using ::fabs; using ::fdim; using ::floor;
  using ::fma; using ::fmax; using ::fmin; using ::fmod; using ::frexp; using ::hypot; using ::ilogb;
  using ::isfinite; using ::isinf; using ::isnan; using ::ldexp; using ::lgamma; using ::llrint;
  using ::llround; using ::log; using ::log10; using ::log1p; using ::log2; using ::logb; using ::lrint;
  using ::lround; using ::max; using ::min; using ::modf; using ::nan; using ::nearbyint; using ::nextafter;
  using ::pow; using ::remainder; using ::remquo; using ::rint; using ::round; using ::scalbln;
  using ::scalbn; using ::signbit; using ::sin; using ::sinh; using ::sqrt; using ::tan; using ::tanh;
  using ::tgamma; using ::trunc; using ::printf; using ::malloc; using ::free; using ::memcpy;
  using ::memmove; using ::memset; using ::clock; using ::labs; using ::llabs; using ::memcmp; using ::strlen;
  using ::strcmp; using ::strncmp; using ::strcpy; using ::strncpy; using ::strcat; using ::size_t;
  using ::ptrdiff_t; using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t; using ::int32_t;
  using ::uint32_t; using ::int64_t; using ::uint64_t; using ::intptr_t; using ::uintptr_t;
using nullptr_t = decltype(nullptr);

// <type_traits>
template <class T, T v> struct integral_constant {
  static constexpr T value = v;
  using value_type = T;
  using type = integral_constant;
  constexpr operator T() const noexcept { return v; }
  constexpr T operator()() const noexcept { return v; }
};
template <bool b> using bool_constant = integral_constant<bool, b>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;
template <bool b, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { using type = T; };
template <bool b, class T = void> using enable_if_t = typename enable_if<b, T>::type;
template <bool b, class T, class F> struct conditional { using type = T; };
template <class T, class F> struct conditional<false, T, F> { using type = F; };
template <bool b, class T, class F> using conditional_t = typename conditional<b, T, F>::type;
template <class...> using void_t = void;
template <class T> struct type_identity { using type = T; };

#define TRANSFORMED(name, from, to) \
  template <class T> struct name { using type = T; }; \
  template <class T> struct name<from> { using type = to; }; \
  template <class T> using name##_t = typename name<T>::type;
TRANSFORMED(remove_const, const T, T)
TRANSFORMED(remove_volatile, volatile T, T)
TRANSFORMED(remove_extent, T[], T)
#undef TRANSFORMED
template <class T, size_t n> struct remove_extent<T[n]> { using type = T; };
template <class T> struct remove_cv { using type = remove_const_t<remove_volatile_t<T>>; };
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> struct remove_reference { using type = T; };
template <class T> struct remove_reference<T&> { using type = T; };
template <class T> struct remove_reference<T&&> { using type = T; };
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> struct remove_pointer { using type = T; };
template <class T> struct remove_pointer<T*> { using type = T; };
template <class T> struct remove_pointer<T* const> { using type = T; };
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> using remove_cvref_t = remove_cv_t<remove_reference_t<T>>;
template <class T> using decay_t = __decay(T);
template <class T> struct decay { using type = __decay(T); };
template <class T> struct add_const { using type = const T; };
template <class T> using add_const_t = const T;
template <class T> struct add_pointer { using type = __add_pointer(T); };
template <class T> using add_pointer_t = __add_pointer(T);
template <class T> using add_lvalue_reference_t = __add_lvalue_reference(T);
template <class T> struct make_unsigned { using type = __make_unsigned(T); };
template <class T> using make_unsigned_t = __make_unsigned(T);
template <class T> struct make_signed { using type = __make_signed(T); };
template <class T> using make_signed_t = __make_signed(T);
template <class T> struct underlying_type { using type = __underlying_type(T); };
template <class T> using underlying_type_t = __underlying_type(T);
template <class T> __add_rvalue_reference(T) declval() noexcept;

#define TRAIT(name, ...) \
  template <class T> inline constexpr bool name##_v = __VA_ARGS__; \
  template <class T> struct name : bool_constant<__VA_ARGS__> {};
#define TRAIT_OF_TWO(name, ...) \
  template <class T, class U> inline constexpr bool name##_v = __VA_ARGS__; \
  template <class T, class U> struct name : bool_constant<__VA_ARGS__> {};
TRAIT(is_void, __is_void(T))
TRAIT(is_integral, __is_integral(T))
TRAIT(is_floating_point, __is_floating_point(T))
TRAIT(is_arithmetic, __is_arithmetic(T))
TRAIT(is_signed, __is_signed(T))
TRAIT(is_unsigned, __is_unsigned(T))
TRAIT(is_const, __is_const(T))
TRAIT(is_pointer, __is_pointer(T))
TRAIT(is_array, __is_array(T))
TRAIT(is_reference, __is_reference(T))
TRAIT(is_lvalue_reference, __is_lvalue_reference(T))
TRAIT(is_function, __is_function(T))
TRAIT(is_enum, __is_enum(T))
TRAIT(is_union, __is_union(T))
TRAIT(is_class, __is_class(T))
TRAIT(is_scalar, __is_scalar(T))
TRAIT(is_empty, __is_empty(T))
TRAIT(is_pod, __is_pod(T))
TRAIT(is_trivial, __is_trivial(T))
TRAIT(is_trivially_copyable, __is_trivially_copyable(T))
TRAIT(is_standard_layout, __is_standard_layout(T))
TRAIT(is_polymorphic, __is_polymorphic(T))
TRAIT(is_default_constructible, __is_constructible(T))
TRAIT_OF_TWO(is_same, __is_same(T, U))
TRAIT_OF_TWO(is_base_of, __is_base_of(T, U))
TRAIT_OF_TWO(is_convertible, __is_convertible_to(T, U))
TRAIT_OF_TWO(is_assignable, __is_assignable(T, U))
#undef TRAIT
#undef TRAIT_OF_TWO
template <class T, class... A> inline constexpr bool is_constructible_v = __is_constructible(T, A...);
template <class... B> struct conjunction : bool_constant<(B::value && ...)> {};
template <class... B> inline constexpr bool conjunction_v = (B::value && ...);
template <class... B> struct disjunction : bool_constant<(B::value || ...)> {};
template <class... B> inline constexpr bool disjunction_v = (B::value || ...);
template <class B> struct negation : bool_constant<!B::value> {};
template <class B> inline constexpr bool negation_v = !B::value;
template <class T> struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <class... T> struct common_type {};
template <class T> struct common_type<T> { using type = decay_t<T>; };
template <class T, class U> struct common_type<T, U> { using type = decay_t<decltype(true ? declval<T>() : declval<U>())>; };
template <class T, class U, class... More>
struct common_type<T, U, More...> : common_type<typename common_type<T, U>::type, More...> {};
template <class... T> using common_type_t = typename common_type<T...>::type;
template <size_t size, size_t alignment = 16> struct aligned_storage { struct type { alignas(alignment) unsigned char data[size]; }; };
template <size_t size, size_t alignment = 16> using aligned_storage_t = typename aligned_storage<size, alignment>::type;
template <class T, class... A> using invoke_result_t = decltype(declval<T>()(declval<A>()...));

// <utility>, <algorithm>, <functional>
template <class T> constexpr remove_reference_t<T>&& move(T&& value) noexcept {
  return static_cast<remove_reference_t<T>&&>(value);
}
template <class T> constexpr T&& forward(remove_reference_t<T>& value) noexcept { return static_cast<T&&>(value); }
template <class T> constexpr T&& forward(remove_reference_t<T>&& value) noexcept { return static_cast<T&&>(value); }
template <class T> constexpr const T& as_const(T& value) noexcept { return value; }
template <class T> constexpr void swap(T& a, T& b) {
  T kept = static_cast<T&&>(a);
  a = static_cast<T&&>(b);
  b = static_cast<T&&>(kept);
}
template <class T, size_t n> constexpr void swap(T (&a)[n], T (&b)[n]) {
  for (size_t i = 0; i < n; ++i) swap(a[i], b[i]);
}
template <class T, class U = T> constexpr T exchange(T& place, U&& value) {
  T kept = static_cast<T&&>(place);
  place = static_cast<U&&>(value);
  return kept;
}
template <class T> constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T> constexpr const T& clamp(const T& x, const T& low, const T& high) {
  return x < low ? low : high < x ? high : x;
}
#define FUNCTION(name, result, sign) \
  template <class T = void> struct name { constexpr result operator()(const T& a, const T& b) const { return a sign b; } }; \
  template <> struct name<void> { template <class T, class U> constexpr auto operator()(T a, U b) const { return a sign b; } };
FUNCTION(plus, T, +)
FUNCTION(minus, T, -)
FUNCTION(multiplies, T, *)
FUNCTION(divides, T, /)
FUNCTION(modulus, T, %)
FUNCTION(bit_and, T, &)
FUNCTION(bit_or, T, |)
FUNCTION(bit_xor, T, ^)
FUNCTION(logical_and, bool, &&)
FUNCTION(logical_or, bool, ||)
FUNCTION(equal_to, bool, ==)
FUNCTION(not_equal_to, bool, !=)
FUNCTION(less, bool, <)
FUNCTION(greater, bool, >)
FUNCTION(less_equal, bool, <=)
FUNCTION(greater_equal, bool, >=)
#undef FUNCTION

template <size_t... i> struct index_sequence { static constexpr size_t size() { return sizeof...(i); } };
template <class T, T... i> struct integer_sequence { static constexpr size_t size() { return sizeof...(i); } };
template <class T, T... i> struct index_sequence_of { using type = index_sequence<i...>; };
template <size_t n> using make_index_sequence = typename __make_integer_seq<index_sequence_of, size_t, n>::type;
template <class T, T n> using make_integer_sequence = __make_integer_seq<integer_sequence, T, n>;
template <class... T> using index_sequence_for = make_index_sequence<sizeof...(T)>;

template <class T, class U> struct pair {
  using first_type = T;
  using second_type = U;
  T first;
  U second;
  constexpr pair() : first(), second() {}
  constexpr pair(const T& a, const U& b) : first(a), second(b) {}
};
template <class T, class U> constexpr pair<decay_t<T>, decay_t<U>> make_pair(T&& a, U&& b) { return {a, b}; }
template <class T, class U> constexpr bool operator==(const pair<T, U>& a, const pair<T, U>& b) {
  return a.first == b.first && a.second == b.second;
}
template <class T, class U> constexpr bool operator<(const pair<T, U>& a, const pair<T, U>& b) {
  return a.first < b.first || (!(b.first < a.first) && a.second < b.second);
}

// <array>, <initializer_list>
template <class T, size_t n> struct array {
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;
  T elements[n ? n : 1];
  constexpr T& operator[](size_t i) { return elements[i]; }
  constexpr const T& operator[](size_t i) const { return elements[i]; }
  constexpr T& at(size_t i) { return elements[i]; }
  constexpr const T& at(size_t i) const { return elements[i]; }
  constexpr T& front() { return elements[0]; }
  constexpr const T& front() const { return elements[0]; }
  constexpr T& back() { return elements[n - 1]; }
  constexpr const T& back() const { return elements[n - 1]; }
  constexpr T* data() { return elements; }
  constexpr const T* data() const { return elements; }
  constexpr T* begin() { return elements; }
  constexpr const T* begin() const { return elements; }
  constexpr T* end() { return elements + n; }
  constexpr const T* end() const { return elements + n; }
  static constexpr size_t size() { return n; }
  static constexpr size_t max_size() { return n; }
  static constexpr bool empty() { return n == 0; }
  constexpr void fill(const T& value) {
    for (size_t i = 0; i < n; ++i) elements[i] = value;
  }
};
template <class T, class... U> array(T, U...) -> array<T, 1 + sizeof...(U)>;
template <class T> class initializer_list {
  const T* first;
  size_t count;

 public:
  using value_type = T;
  constexpr initializer_list() noexcept : first(nullptr), count(0) {}
  constexpr size_t size() const noexcept { return count; }
  constexpr const T* begin() const noexcept { return first; }
  constexpr const T* end() const noexcept { return first + count; }
};

template <class T> struct tuple_size;
template <size_t i, class T> struct tuple_element;
template <class T> inline constexpr size_t tuple_size_v = tuple_size<T>::value;
template <size_t i, class T> using tuple_element_t = typename tuple_element<i, T>::type;
template <class T, class U> struct tuple_size<pair<T, U>> : integral_constant<size_t, 2> {};
template <class T, class U> struct tuple_element<0, pair<T, U>> { using type = T; };
template <class T, class U> struct tuple_element<1, pair<T, U>> { using type = U; };
template <class T, size_t n> struct tuple_size<array<T, n>> : integral_constant<size_t, n> {};
template <size_t i, class T, size_t n> struct tuple_element<i, array<T, n>> { using type = T; };
template <size_t i, class T, class U> constexpr auto& get(pair<T, U>& of) {
  if constexpr (i == 0) return of.first; else return of.second;
}
template <size_t i, class T, class U> constexpr const auto& get(const pair<T, U>& of) {
  if constexpr (i == 0) return of.first; else return of.second;
}
template <size_t i, class T, class U> constexpr auto&& get(pair<T, U>&& of) {
  if constexpr (i == 0) return static_cast<T&&>(of.first); else return static_cast<U&&>(of.second);
}
template <size_t i, class T, size_t n> constexpr T&& get(array<T, n>&& of) { return static_cast<T&&>(of.elements[i]); }
template <size_t i, class T, size_t n> constexpr T& get(array<T, n>& of) { return of.elements[i]; }
template <size_t i, class T, size_t n> constexpr const T& get(const array<T, n>& of) { return of.elements[i]; }

// <limits>
template <class T> struct numeric_limits {
  static constexpr bool is_specialized = false;
  static constexpr T min() { return T(); }
  static constexpr T max() { return T(); }
  static constexpr T lowest() { return T(); }
};
#define WHOLE(type, least, most) \
  template <> struct numeric_limits<type> { \
    static constexpr bool is_specialized = true, is_integer = true, is_exact = true, is_signed = static_cast<type>(-1) < 0; \
    static constexpr bool has_infinity = false, has_quiet_NaN = false; \
    static constexpr int digits = sizeof(type) * 8 - is_signed, digits10 = digits * 301 / 1000, radix = 2; \
    static constexpr type min() noexcept { return least; } \
    static constexpr type max() noexcept { return most; } \
    static constexpr type lowest() noexcept { return least; } \
    static constexpr type epsilon() noexcept { return 0; } \
    static constexpr type infinity() noexcept { return 0; } \
    static constexpr type quiet_NaN() noexcept { return 0; } \
  };
WHOLE(bool, false, true)
WHOLE(char, CHAR_MIN, CHAR_MAX)
WHOLE(signed char, SCHAR_MIN, SCHAR_MAX)
WHOLE(unsigned char, 0, UCHAR_MAX)
WHOLE(short, SHRT_MIN, SHRT_MAX)
WHOLE(unsigned short, 0, USHRT_MAX)
WHOLE(int, INT_MIN, INT_MAX)
WHOLE(unsigned int, 0, UINT_MAX)
WHOLE(long, LONG_MIN, LONG_MAX)
WHOLE(unsigned long, 0, ULONG_MAX)
WHOLE(long long, LLONG_MIN, LLONG_MAX)
WHOLE(unsigned long long, 0, ULLONG_MAX)
#undef WHOLE
#define REAL(type, least, most, step, tiny, bits, tens, inf, nan) \
  template <> struct numeric_limits<type> { \
    static constexpr bool is_specialized = true, is_integer = false, is_exact = false, is_signed = true; \
    static constexpr bool has_infinity = true, has_quiet_NaN = true, is_iec559 = true; \
    static constexpr int digits = bits, digits10 = tens, radix = 2; \
    static constexpr type min() noexcept { return least; } \
    static constexpr type max() noexcept { return most; } \
    static constexpr type lowest() noexcept { return -most; } \
    static constexpr type epsilon() noexcept { return step; } \
    static constexpr type denorm_min() noexcept { return tiny; } \
    static constexpr type infinity() noexcept { return inf; } \
    static constexpr type quiet_NaN() noexcept { return nan; } \
    static constexpr type signaling_NaN() noexcept { return nan; } \
  };
REAL(float, FLT_MIN, FLT_MAX, FLT_EPSILON, FLT_TRUE_MIN, 24, 6, __builtin_huge_valf(), __builtin_nanf(""))
REAL(double, DBL_MIN, DBL_MAX, DBL_EPSILON, DBL_TRUE_MIN, 53, 15, __builtin_huge_val(), __builtin_nan(""))
REAL(__half, 6.103515625e-05f16, 65504.0f16, 9.765625e-04f16, 5.9604644775390625e-08f16, 11, 3,
     static_cast<__half>(__builtin_huge_valf()), static_cast<__half>(__builtin_nanf("")))
#undef REAL
template <class T> struct numeric_limits<const T> : numeric_limits<T> {};
}  // namespace std

// libraries that are refused by name: so much that the names of their namespaces are known
namespace cuda { namespace std = ::std; }
namespace cooperative_groups {}
namespace nvcuda { namespace wmma {} }
namespace thrust {}
namespace cub {}
