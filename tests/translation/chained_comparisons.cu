// nvcc warns of them, clang 21 and later refuse them: brackets say what C++ does anyway.
#include <cuda_runtime.h>

template <int N> struct Some { int at; };

__global__ void k(int *x, int n) {
  int value = (threadIdx.x < blockDim.x < warpSize) ? 1 : 0;
  for (int i = 0; 0 <= i < n; i++) {
    if (x[0] < n && 0 < i < n) break;
  }
  bool inside = 0 < value < n;
  x[0] = (0 < n) < 2;
  Some<1> some = {value};
  if (n < value && value < some.at) x[1] = (n << 1 < 4);
  x[2] = inside;
  if (n <= value < 2 * n) x[3] = 1;
  if (0 < value + 1 < (n - 1)) x[4] = Some<2>{value}.at < (n - 1);
}
// ---- HIP ----
// nvcc warns of them, clang 21 and later refuse them: brackets say what C++ does anyway.
#include <hip/hip_runtime.h>

template <int N> struct Some { int at; };

__global__ void k(int *x, int n) {
  int value = ((threadIdx.x < blockDim.x) < warpSize) ? 1 : 0;
  for (int i = 0; (0 <= i) < n; i++) {
    if (x[0] < n && (0 < i) < n) break;
  }
  bool inside = (0 < value) < n;
  x[0] = (0 < n) < 2;
  Some<1> some = {value};
  if (n < value && value < some.at) x[1] = (n << 1 < 4);
  x[2] = inside;
  if ((n <= value) < 2 * n) x[3] = 1;
  if ((0 < value + 1) < (n - 1)) x[4] = Some<2>{value}.at < (n - 1);
}
// ---- findings ----
// 7 noted warpSize
