// gcc, and nvcc with it, take constants of a floating type in a class; clang only where they are constexpr.
#include <cuda_runtime.h>

template <typename T> struct Sum {
  static const T identity = static_cast<T>(0);
  static const int width = 32;
  __device__ T operator()(T a, T b) const { return a + b; }
};

struct Limits {
  static const float most = 1.5f;
  const static double least = -1;
  static const unsigned count = 3;
};

template <typename T> __global__ void k(T *x) {
  static const int here = 1;
  x[0] = Sum<T>()(x[1], Sum<T>::identity) + T(Limits::most) + T(Limits::least) + T(Limits::count + here + Sum<T>::width);
}

void run(float *x, int *y) { k<<<1, 1>>>(x); k<<<1, 1>>>(y); }
static const float outside = 2.5f;
// ---- HIP ----
// gcc, and nvcc with it, take constants of a floating type in a class; clang only where they are constexpr.
#include <hip/hip_runtime.h>

template <typename T> struct Sum {
  static constexpr T identity = static_cast<T>(0);
  static const int width = 32;
  __device__ T operator()(T a, T b) const { return a + b; }
};

struct Limits {
  static constexpr float most = 1.5f;
  constexpr static double least = -1;
  static const unsigned count = 3;
};

template <typename T> __global__ void k(T *x) {
  static const int here = 1;
  x[0] = Sum<T>()(x[1], Sum<T>::identity) + T(Limits::most) + T(Limits::least) + T(Limits::count + here + Sum<T>::width);
}

void run(float *x, int *y) { k<<<1, 1>>>(x); k<<<1, 1>>>(y); }
static const float outside = 2.5f;
