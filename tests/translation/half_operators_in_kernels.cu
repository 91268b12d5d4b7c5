#include <cuda_fp16.h>

__global__ void add(half* x, int n) { x[0] = x[1] + x[2] * x[n]; }

float host(half* x, int n) {
  half* rest = x + n;
  float sum = 0;
  for (int i = 0; i < n; i++) sum += __half2float(rest[i]) - (float)x[i];
  return sum;
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

__global__ void add(half* x, int n) { x[0] = x[1] + x[2] * x[n]; }

float host(half* x, int n) {
  half* rest = x + n;
  float sum = 0;
  for (int i = 0; i < n; i++) sum += __half2float(rest[i]) - (float)x[i];
  return sum;
}
