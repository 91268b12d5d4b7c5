__device__ unsigned lane_id() {
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

__device__ unsigned lanes_below() {
  unsigned mask;
  asm("mov.u32 %0, %lanemask_lt;" : "=r"(mask));
  return mask;
}

__device__ float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__device__ unsigned field(unsigned word, unsigned start, unsigned length) {
  unsigned bits;
  asm volatile(
      "bfe.u32 %0, %1, %2, %3;"
      : "=r"(bits)
      : "r"(word), "r"(start), "r"(length));
  return bits;
}

__global__ void kernel(unsigned* x, float* f) {
  long long begin;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(begin));
  x[0] = lane_id() + lanes_below() + field(x[1], 3, 5) + static_cast<unsigned>(begin);
  f[0] = fast_exp2(f[1]);
  asm volatile("membar.gl;" ::: "memory");
}
// ---- HIP ----
#include "rewarp_hip.h"
__device__ unsigned lane_id() {
  unsigned lane;
  lane = rewarp_lane_id();
  return lane;
}

__device__ unsigned lanes_below() {
  unsigned mask;
  mask = rewarp_lanemask_lt();
  return mask;
}

__device__ float fast_exp2(float x) {
  float y;
  y = __builtin_amdgcn_exp2f(x);
  return y;
}

__device__ unsigned field(unsigned word, unsigned start, unsigned length) {
  unsigned bits;
  bits = rewarp_ptx::bfe<unsigned>(word, start, length);
  return bits;
}

__global__ void kernel(unsigned* x, float* f) {
  long long begin;
  begin = static_cast<unsigned long long>(clock64());
  x[0] = lane_id() + lanes_below() + field(x[1], 3, 5) + static_cast<unsigned>(begin);
  f[0] = fast_exp2(f[1]);
  __threadfence();
}
// ---- findings ----
// 30 noted %clock64
