#include <cuda_runtime.h>

#define EACH(i, n) for (int i = 0; i < n; i++)

__global__ void kernel(float* x, bool first) {
#pragma unroll
  // either way
  if (first) {
    for (int i = 0; i < 4; i++) x[i] = 0;
  }
  #pragma unroll 4
  float sum = x[0];
#pragma unroll
  sum += x[1];
#pragma unroll
  {
    sum += 1;
  }
#pragma unroll
  for (int i = 0; i < 4; i++) sum += x[i];
#pragma unroll 2
  EACH(i, 4) sum += x[i];
#pragma unroll

  while (sum > 1) sum /= 2;
#pragma unroll 1
  do sum += 1;
  while (sum < 0);
  x[0] = sum;
}
// ---- HIP ----
#include <hip/hip_runtime.h>

#define EACH(i, n) for (int i = 0; i < n; i++)

__global__ void kernel(float* x, bool first) {
// no loop: #pragma unroll
  // either way
  if (first) {
    for (int i = 0; i < 4; i++) x[i] = 0;
  }
  // no loop: #pragma unroll 4
  float sum = x[0];
// no loop: #pragma unroll
  sum += x[1];
// no loop: #pragma unroll
  {
    sum += 1;
  }
#pragma unroll
  for (int i = 0; i < 4; i++) sum += x[i];
#pragma unroll 2
  EACH(i, 4) sum += x[i];
#pragma unroll

  while (sum > 1) sum /= 2;
#pragma unroll 1
  do sum += 1;
  while (sum < 0);
  x[0] = sum;
}
