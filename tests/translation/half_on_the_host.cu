#include <cuda_fp16.h>

#include <vector>

void relu(const half* x, half* y, int n) {
  for (int i = 0; i < n; i++) y[i] = __hmax(x[i], __float2half(0.0f));
}

bool sorted(const std::vector<__half>& x) {
  for (size_t i = 1; i < x.size(); i++)
    if (__hlt(x[i], x[i - 1])) return false;
  return true;
}

__global__ void both(const half* x, half2* y) {
  y[threadIdx.x] = __hmax2(__half2half2(x[threadIdx.x]), __half2half2(__hadd(x[0], x[1])));
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_fp16.h>

#include <vector>

void relu(const half* x, half* y, int n) {
  for (int i = 0; i < n; i++) y[i] = __hmax(x[i], __float2half(0.0f));
}

bool sorted(const std::vector<__half>& x) {
  for (size_t i = 1; i < x.size(); i++)
    if (__hlt(x[i], x[i - 1])) return false;
  return true;
}

__global__ void both(const half* x, half2* y) {
  y[threadIdx.x] = __hmax2(__half2half2(x[threadIdx.x]), __half2half2(__hadd(x[0], x[1])));
}
