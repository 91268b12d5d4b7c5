#include <cuda_fp16.h>

#include <vector>

template <typename T>
int differences(const T* a, const T* b, int n) {
  int found = 0;
  for (int i = 0; i < n; i++) found += a[i] != b[i];
  return found;
}

half dot(const std::vector<half>& x, const half* y) {
  half sum = __float2half(0.0f);
  for (size_t i = 0; i < x.size(); i++) sum += x[i] * y[i];
  return -sum;
}

half2 twice(half2 x) {
  x *= x;
  return x + x;
}

int check(const half* a, const half* b) { return differences(a, b, 3); }
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_fp16.h>

#include <vector>

template <typename T>
int differences(const T* a, const T* b, int n) {
  int found = 0;
  for (int i = 0; i < n; i++) found += a[i] != b[i];
  return found;
}

half dot(const std::vector<half>& x, const half* y) {
  half sum = __float2half(0.0f);
  for (size_t i = 0; i < x.size(); i++) sum += x[i] * y[i];
  return -sum;
}

half2 twice(half2 x) {
  x *= x;
  return x + x;
}

int check(const half* a, const half* b) { return differences(a, b, 3); }
