#include <cstdio>

__global__ void report() {
#ifdef __CUDA_ARCH__
  printf("built for %d, %d stages\n", __CUDA_ARCH__, __CUDA_ARCH__ >= 800 ? 4 : 2);
#endif
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <cstdio>

__global__ void report() {
#ifdef __HIP_DEVICE_COMPILE__
  printf("built for %d, %d stages\n", REWARP_CUDA_ARCH, REWARP_CUDA_ARCH >= 800 ? 4 : 2);
#endif
}
