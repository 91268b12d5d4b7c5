// compile: no, such arrays take no initialiser
#include <cuda_runtime.h>

struct Pair {
  int a, b;
};

__global__ void k(float *x) { x[0] = 1; }

int sum(int n) {
  const float zeros[n] = {0};
  Pair pairs[n] = {{1, 2}};
  int flat[n][2] = {1, 2, 3, 4};
  return zeros[0] + pairs[0].a + flat[0][0];
}
// ---- HIP ----
#include <hip/hip_runtime.h>

struct Pair {
  int a, b;
};

__global__ void k(float *x) { x[0] = 1; }

int sum(int n) {
  const float zeros[n] = {0};
  Pair pairs[n] = {{1, 2}};
  int flat[n][2] = {1, 2, 3, 4};
  return zeros[0] + pairs[0].a + flat[0][0];
}
// ---- findings ----
// 10 unsupported zeros
// 11 unsupported pairs
// 12 unsupported flat
