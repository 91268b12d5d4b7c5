// The project has a name of its own for the architecture: conditions on it are decided one by one, as on CUDA's.
#ifndef __CUDA_ARCH__
#define MY_ARCH 0
#else
#define MY_ARCH __CUDA_ARCH__
#endif

__device__ unsigned add2(unsigned a, unsigned b) {
  unsigned r = 0;
#if MY_ARCH >= 300
  asm("vadd2.u32.u32.u32.sat %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(r));
#else
  unsigned s = a ^ b;
  r = a + b;
  r -= (s ^ r) & 0x00010000;
#endif
  return r;
}

__device__ float portable(float x) {
#if MY_ARCH >= 300
  return __shfl_xor_sync(0xffffffff, x, 1);
#else
  return x;
#endif
}

__device__ unsigned no_way(unsigned a) {
#if MY_ARCH >= 700
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %1, %1;" : "=r"(a) : "r"(a));
#elif MY_ARCH >= 300
  asm("vabsdiff2.u32.u32.u32.add %0, %1, %1, %1;" : "=r"(a) : "r"(a));
#endif
  return a;
}
// ---- HIP ----
// The project has a name of its own for the architecture: conditions on it are decided one by one, as on CUDA's.
#include "rewarp_hip.h"
#ifndef __HIP_DEVICE_COMPILE__
#define MY_ARCH 0
#else
#define MY_ARCH REWARP_CUDA_ARCH
#endif

__device__ unsigned add2(unsigned a, unsigned b) {
  unsigned r = 0;
#if 0 /* MY_ARCH >= 300 */
  asm("vadd2.u32.u32.u32.sat %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(r));
#else
  unsigned s = a ^ b;
  r = a + b;
  r -= (s ^ r) & 0x00010000;
#endif
  return r;
}

__device__ float portable(float x) {
#if MY_ARCH >= 300
  return __shfl_xor_sync(0xffffffff, x, 1);
#else
  return x;
#endif
}

__device__ unsigned no_way(unsigned a) {
#if MY_ARCH >= 700
  a = __vsadu4(a, a) + static_cast<unsigned>(a);
#elif MY_ARCH >= 300
  asm("vabsdiff2.u32.u32.u32.add %0, %1, %1, %1;" : "=r"(a) : "r"(a));
#endif
  return a;
}
// ---- findings ----
// 10 decision
