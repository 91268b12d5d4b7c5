// nvcc has <math.h> before the first line, and with it isnan for all types on the host.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>

template <class T> int odd(const T *x) { return isnan(x[0]) || isinf(x[0]) || std::signbit(x[0]); }

__global__ void k(float *x) { x[0] = isfinite(x[1]); }

int main() {
  float single[1] = {1};
  double both[1] = {2};
  return odd(single) + odd(both) + (cudaDeviceSynchronize() != cudaSuccess);
}
// ---- HIP ----
// nvcc has <math.h> before the first line, and with it isnan for all types on the host.
#include <math.h>
#include <hip/hip_runtime.h>
#include <cmath>
#include <cstdio>

template <class T> int odd(const T *x) { return isnan(x[0]) || isinf(x[0]) || std::signbit(x[0]); }

__global__ void k(float *x) { x[0] = isfinite(x[1]); }

int main() {
  float single[1] = {1};
  double both[1] = {2};
  return odd(single) + odd(both) + (hipDeviceSynchronize() != hipSuccess);
}
