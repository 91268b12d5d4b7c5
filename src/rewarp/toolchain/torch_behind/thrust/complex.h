// The part of rocThrust that torch's own headers ask for: complex numbers. A real rocThrust, where there is one, goes first.
#pragma once
#include <cmath>
#include <hip/hip_runtime.h>

namespace thrust {

template <class T>
struct alignas(2 * sizeof(T)) complex {
  using value_type = T;
  __host__ __device__ complex(T real = T(), T imaginary = T()) : real_(real), imaginary_(imaginary) {}
  template <class U>
  __host__ __device__ complex(const complex<U>& other) : real_(T(other.real())), imaginary_(T(other.imag())) {}
  __host__ __device__ T real() const { return real_; }
  __host__ __device__ T imag() const { return imaginary_; }

 private:
  T real_, imaginary_;
};

#define FUNCTION template <class T> __host__ __device__ inline

FUNCTION complex<T> operator+(complex<T> a, complex<T> b) { return {a.real() + b.real(), a.imag() + b.imag()}; }
FUNCTION complex<T> operator-(complex<T> a, complex<T> b) { return {a.real() - b.real(), a.imag() - b.imag()}; }
FUNCTION complex<T> operator*(complex<T> a, complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
FUNCTION complex<T> operator/(complex<T> a, complex<T> b) {  // scaled, so that squares neither overflow nor vanish
  const T s = ::fabs(b.real()) + ::fabs(b.imag()), c = b.real() / s, d = b.imag() / s, n = c * c + d * d;
  const T x = a.real() / s, y = a.imag() / s;
  return {(x * c + y * d) / n, (y * c - x * d) / n};
}
FUNCTION T abs(complex<T> z) { return ::hypot(z.real(), z.imag()); }
FUNCTION T arg(complex<T> z) { return ::atan2(z.imag(), z.real()); }
FUNCTION complex<T> polar(T size, T angle = T()) { return {size * ::cos(angle), size * ::sin(angle)}; }
FUNCTION complex<T> exp(complex<T> z) { return polar<T>(::exp(z.real()), z.imag()); }
FUNCTION complex<T> log(complex<T> z) { return {::log(abs(z)), arg(z)}; }
FUNCTION complex<T> log10(complex<T> z) { return log(z) * complex<T>(T(0.43429448190325182765)); }
FUNCTION complex<T> sqrt(complex<T> z) {
  const T size = abs(z);
  if (size == T(0)) return z;
  const T larger = ::sqrt((size + ::fabs(z.real())) / T(2)), smaller = ::fabs(z.imag()) / (T(2) * larger);
  const T r = z.real() >= T(0) ? larger : smaller, i = z.real() >= T(0) ? smaller : larger;
  return {r, ::copysign(i, z.imag())};
}
FUNCTION complex<T> pow(complex<T> a, complex<T> b) { return exp(log(a) * b); }
FUNCTION complex<T> pow(complex<T> a, T b) { return pow(a, complex<T>(b)); }
FUNCTION complex<T> pow(T a, complex<T> b) { return pow(complex<T>(a), b); }
FUNCTION complex<T> times_i(complex<T> z) { return {-z.imag(), z.real()}; }
FUNCTION complex<T> over_i(complex<T> z) { return {z.imag(), -z.real()}; }
FUNCTION complex<T> sinh(complex<T> z) {
  return {::sinh(z.real()) * ::cos(z.imag()), ::cosh(z.real()) * ::sin(z.imag())};
}
FUNCTION complex<T> cosh(complex<T> z) {
  return {::cosh(z.real()) * ::cos(z.imag()), ::sinh(z.real()) * ::sin(z.imag())};
}
FUNCTION complex<T> tanh(complex<T> z) { return sinh(z) / cosh(z); }
FUNCTION complex<T> sin(complex<T> z) { return over_i(sinh(times_i(z))); }
FUNCTION complex<T> cos(complex<T> z) { return cosh(times_i(z)); }
FUNCTION complex<T> tan(complex<T> z) { return over_i(tanh(times_i(z))); }
FUNCTION complex<T> asinh(complex<T> z) { return log(z + sqrt(z * z + complex<T>(T(1)))); }
FUNCTION complex<T> acosh(complex<T> z) { return log(z + sqrt(z + complex<T>(T(1))) * sqrt(z - complex<T>(T(1)))); }
FUNCTION complex<T> atanh(complex<T> z) {
  return (log(complex<T>(T(1)) + z) - log(complex<T>(T(1)) - z)) * complex<T>(T(0.5));
}
FUNCTION complex<T> asin(complex<T> z) { return over_i(asinh(times_i(z))); }
FUNCTION complex<T> acos(complex<T> z) { return complex<T>(T(1.57079632679489661923)) - asin(z); }
FUNCTION complex<T> atan(complex<T> z) { return over_i(atanh(times_i(z))); }

#undef FUNCTION
}  // namespace thrust
