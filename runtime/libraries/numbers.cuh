// Real and complex numbers under one name, for the kernels of cuBLAS and cuSPARSE.
#pragma once

template <typename T> struct RealOf { typedef T type; };
template <> struct RealOf<cuComplex> { typedef float type; };
template <> struct RealOf<cuDoubleComplex> { typedef double type; };
template <typename T> using Real = typename RealOf<T>::type;
template <typename T> constexpr bool is_complex = sizeof(T) != sizeof(Real<T>);

#define BOTH __host__ __device__ __forceinline__
template <typename T> BOTH T number(Real<T> x) {
  if constexpr (is_complex<T>) return T{x, 0};
  else return x;
}
template <typename T> BOTH T plus(T a, T b) {
  if constexpr (is_complex<T>) return T{a.x + b.x, a.y + b.y};
  else return a + b;
}
template <typename T> BOTH T minus(T a, T b) {
  if constexpr (is_complex<T>) return T{a.x - b.x, a.y - b.y};
  else return a - b;
}
template <typename T> BOTH T times(T a, T b) {
  if constexpr (is_complex<T>) return T{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
  else return a * b;
}
template <typename T> BOTH T conjugate(T a, bool really = true) {
  if constexpr (is_complex<T>) return T{a.x, really ? -a.y : a.y};
  else return a;
}
// Smith's division of complex numbers, which does not overflow on the way.
template <typename T> BOTH T over(T a, T b) {
  if constexpr (is_complex<T>) {
    Real<T> bx = b.x < 0 ? -b.x : b.x, by = b.y < 0 ? -b.y : b.y;
    if (bx >= by) {
      Real<T> r = b.y / b.x, d = b.x + b.y * r;
      return T{(a.x + a.y * r) / d, (a.y - a.x * r) / d};
    }
    Real<T> r = b.x / b.y, d = b.x * r + b.y;
    return T{(a.x * r + a.y) / d, (a.y * r - a.x) / d};
  } else return a / b;
}
template <typename T> BOTH bool is_zero(T a) {
  if constexpr (is_complex<T>) return a.x == 0 && a.y == 0;
  else return a == 0;
}
// |x|, of a complex number |re| + |im| as BLAS has it.
template <typename T> BOTH Real<T> magnitude(T a) {
  if constexpr (is_complex<T>) return (a.x < 0 ? -a.x : a.x) + (a.y < 0 ? -a.y : a.y);
  else return a < 0 ? -a : a;
}
template <typename T> BOTH Real<T> squared(T a) {
  if constexpr (is_complex<T>) return a.x * a.x + a.y * a.y;
  else return a * a;
}
// a * b + c, with one rounding for real numbers.
template <typename T> __device__ __forceinline__ T fused(T a, T b, T c) {
  if constexpr (is_complex<T>) return T{fma(a.x, b.x, fma(-a.y, b.y, c.x)), fma(a.x, b.y, fma(a.y, b.x, c.y))};
  else return fma(a, b, c);
}
