// The part of the C++ standard library that device code uses: limits, type traits, min, max, swap, pair, array, and the
// functions of <cmath> in namespace std.
#pragma once

namespace std {
using ::size_t;
using ::ptrdiff_t;
using ::int8_t;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::uint8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::intptr_t;
using ::uintptr_t;
typedef decltype(nullptr) nullptr_t;

#define __KS_USING(NAME) using ::NAME;
__KS_EACH_UNARY(__KS_USING)
__KS_EACH_BINARY(__KS_USING)
#undef __KS_USING
using ::abs;
using ::ceil;
using ::copysign;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::frexp;
using ::ilogb;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::isnormal;
using ::ldexp;
using ::llrint;
using ::llround;
using ::lrint;
using ::lround;
using ::modf;
using ::nearbyint;
using ::remquo;
using ::rint;
using ::round;
using ::scalbln;
using ::scalbn;
using ::signbit;
using ::sqrt;
using ::trunc;

template <typename _T, _T _V> struct integral_constant {
  static constexpr _T value = _V;
  typedef _T value_type;
  constexpr operator _T() const { return _V; }
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <bool _B, typename _T = void> struct enable_if {};
template <typename _T> struct enable_if<true, _T> { typedef _T type; };
template <bool _B, typename _T = void> using enable_if_t = typename enable_if<_B, _T>::type;
template <bool _B, typename _T, typename _F> struct conditional { typedef _T type; };
template <typename _T, typename _F> struct conditional<false, _T, _F> { typedef _F type; };
template <bool _B, typename _T, typename _F> using conditional_t = typename conditional<_B, _T, _F>::type;
template <typename _T> struct remove_reference { typedef _T type; };
template <typename _T> struct remove_reference<_T &> { typedef _T type; };
template <typename _T> struct remove_reference<_T &&> { typedef _T type; };
template <typename _T> using remove_reference_t = typename remove_reference<_T>::type;
template <typename _T> struct remove_cv { typedef _T type; };
template <typename _T> struct remove_cv<const _T> { typedef _T type; };
template <typename _T> struct remove_cv<volatile _T> { typedef _T type; };
template <typename _T> struct remove_cv<const volatile _T> { typedef _T type; };
template <typename _T> using remove_cv_t = typename remove_cv<_T>::type;
template <typename _T> using decay_t = remove_cv_t<remove_reference_t<_T>>;
#define __KS_TRAIT(NAME, TEST)                                                                      \
  template <typename _T> struct NAME : integral_constant<bool, TEST> {};                            \
  template <typename _T> inline constexpr bool NAME##_v = NAME<_T>::value;
__KS_TRAIT(is_integral, __is_integral(_T))
__KS_TRAIT(is_floating_point, __is_floating_point(_T))
__KS_TRAIT(is_arithmetic, __is_arithmetic(_T))
__KS_TRAIT(is_signed, __is_signed(_T))
__KS_TRAIT(is_unsigned, __is_unsigned(_T))
__KS_TRAIT(is_pointer, __is_pointer(_T))
__KS_TRAIT(is_trivially_copyable, __is_trivially_copyable(_T))
#undef __KS_TRAIT
template <typename _T, typename _U> struct is_same : integral_constant<bool, __is_same(_T, _U)> {};
template <typename _T, typename _U> inline constexpr bool is_same_v = __is_same(_T, _U);
template <typename _T> struct make_unsigned { typedef __make_unsigned(_T) type; };
template <typename _T> struct make_signed { typedef __make_signed(_T) type; };

template <typename _T> __host__ __device__ constexpr remove_reference_t<_T> &&move(_T &&v) { return static_cast<remove_reference_t<_T> &&>(v); }
template <typename _T> __host__ __device__ constexpr _T &&forward(remove_reference_t<_T> &v) { return static_cast<_T &&>(v); }
template <typename _T> __host__ __device__ constexpr const _T &min(const _T &a, const _T &b) { return b < a ? b : a; }
template <typename _T> __host__ __device__ constexpr const _T &max(const _T &a, const _T &b) { return a < b ? b : a; }
template <typename _T, typename Less> __host__ __device__ constexpr const _T &min(const _T &a, const _T &b, Less less) { return less(b, a) ? b : a; }
template <typename _T, typename Less> __host__ __device__ constexpr const _T &max(const _T &a, const _T &b, Less less) { return less(a, b) ? b : a; }
template <typename _T> __host__ __device__ constexpr const _T &clamp(const _T &v, const _T &low, const _T &high) {
  return v < low ? low : high < v ? high : v;
}
template <typename _T> __host__ __device__ constexpr void swap(_T &a, _T &b) {
  _T t = static_cast<_T &&>(a);
  a = static_cast<_T &&>(b), b = static_cast<_T &&>(t);
}

template <typename _T> class initializer_list {
  const _T *first_;
  size_t count_;

 public:
  __host__ __device__ constexpr initializer_list() : first_(nullptr), count_(0) {}
  __host__ __device__ constexpr size_t size() const { return count_; }
  __host__ __device__ constexpr const _T *begin() const { return first_; }
  __host__ __device__ constexpr const _T *end() const { return first_ + count_; }
};

template <typename _A, typename _B> struct pair {
  _A first;
  _B second;
};
template <typename _A, typename _B> __host__ __device__ constexpr pair<decay_t<_A>, decay_t<_B>> make_pair(_A &&a, _B &&b) { return {a, b}; }
template <typename _T, size_t _N> struct array {
  _T elements[_N];
  __host__ __device__ constexpr _T &operator[](size_t i) { return elements[i]; }
  __host__ __device__ constexpr const _T &operator[](size_t i) const { return elements[i]; }
  __host__ __device__ constexpr size_t size() const { return _N; }
  __host__ __device__ constexpr _T *data() { return elements; }
  __host__ __device__ constexpr const _T *data() const { return elements; }
  __host__ __device__ constexpr _T *begin() { return elements; }
  __host__ __device__ constexpr _T *end() { return elements + _N; }
  __host__ __device__ constexpr const _T *begin() const { return elements; }
  __host__ __device__ constexpr const _T *end() const { return elements + _N; }
};

template <typename _T> struct numeric_limits { static constexpr bool is_specialized = false; };
#define __KS_LIMITS(T, LOW, HIGH, SIGNED)                                                           \
  template <> struct numeric_limits<T> {                                                            \
    static constexpr bool is_specialized = true, is_signed = SIGNED, is_integer = true, is_exact = true, has_infinity = false; \
    static constexpr int digits = 8 * sizeof(T) - SIGNED, radix = 2;                                \
    __host__ __device__ static constexpr T min() { return LOW; }                                    \
    __host__ __device__ static constexpr T lowest() { return LOW; }                                 \
    __host__ __device__ static constexpr T max() { return HIGH; }                                   \
  };
__KS_LIMITS(bool, false, true, false)
__KS_LIMITS(char, SCHAR_MIN, SCHAR_MAX, true)
__KS_LIMITS(signed char, SCHAR_MIN, SCHAR_MAX, true)
__KS_LIMITS(unsigned char, 0, UCHAR_MAX, false)
__KS_LIMITS(short, SHRT_MIN, SHRT_MAX, true)
__KS_LIMITS(unsigned short, 0, USHRT_MAX, false)
__KS_LIMITS(int, INT_MIN, INT_MAX, true)
__KS_LIMITS(unsigned int, 0, UINT_MAX, false)
__KS_LIMITS(long, LONG_MIN, LONG_MAX, true)
__KS_LIMITS(unsigned long, 0, ULONG_MAX, false)
__KS_LIMITS(long long, LLONG_MIN, LLONG_MAX, true)
__KS_LIMITS(unsigned long long, 0, ULLONG_MAX, false)
#undef __KS_LIMITS
#define __KS_LIMITS(T, P, HUGE)                                                                     \
  template <> struct numeric_limits<T> {                                                            \
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false, has_infinity = true, is_iec559 = true; \
    static constexpr int digits = P##_MANT_DIG, radix = 2, max_exponent = P##_MAX_EXP, min_exponent = P##_MIN_EXP; \
    __host__ __device__ static constexpr T min() { return P##_MIN; }                                \
    __host__ __device__ static constexpr T max() { return P##_MAX; }                                \
    __host__ __device__ static constexpr T lowest() { return -P##_MAX; }                            \
    __host__ __device__ static constexpr T epsilon() { return P##_EPSILON; }                        \
    __host__ __device__ static constexpr T infinity() { return HUGE; }                              \
    __host__ __device__ static constexpr T quiet_NaN() { return (T)__builtin_nan(""); }             \
    __host__ __device__ static constexpr T denorm_min() { return __##P##_DENORM_MIN__; }            \
  };
__KS_LIMITS(float, FLT, __builtin_inff())
__KS_LIMITS(double, DBL, __builtin_inf())
#undef __KS_LIMITS
} // namespace std
