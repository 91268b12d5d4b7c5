// path: warp.cuh
#pragma once

template <typename T>
__device__ T warp_sum(T value) {
  for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_xor_sync(0xffffffff, value, offset);
  return value;
}
// ---- HIP ----
#pragma once
#include "rewarp_hip.h"

template <typename T>
__device__ T warp_sum(T value) {
  for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_xor_sync(0xffffffff, value, offset);
  return value;
}
