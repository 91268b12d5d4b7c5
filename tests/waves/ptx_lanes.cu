// fix: safe
__device__ unsigned lane() {
  unsigned ret;
  asm volatile("mov.u32 %0, %laneid;" : "=r"(ret));
  return ret;
}
__device__ unsigned warp() { unsigned ret; asm("mov.u32 %0, %%warpid;" : "=r"(ret)); return ret; }
__global__ void prefixes(const int* in, float* sums, unsigned* out) {
  unsigned below, active;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));  // the lanes before this one
  asm("activemask.b32 %0;" : "=r"(active));
  unsigned votes = __ballot_sync(active, in[threadIdx.x] > 0);
  if (in[threadIdx.x] > 0)
    asm("redux.sync.add.u32 %0, %1, %2;"
        : "=r"(out[threadIdx.x])
        : "r"(in[threadIdx.x]), "r"(votes));
  float other;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=f"(other) : "f"(sums[threadIdx.x]), "r"(1));
  asm("{ .reg .pred p; .reg .f32 r; shfl.sync.up.b32 r|p, %1, 1, 0, -1; @p add.f32 %0, r, %0; }" : "+f"(other) : "f"(other));
  sums[threadIdx.x] += other * __popc(votes & below) + lane() + warp();
  asm volatile("bar.warp.sync %0;" ::"r"(__activemask()));
}
// output
// fix: safe
#include "rewarp_waves.h"
__device__ unsigned lane() {
  unsigned ret;
#if defined(__HIP_PLATFORM_AMD__)
  ret = rewarp_warp32_lane_id();
#else
  asm volatile("mov.u32 %0, %laneid;" : "=r"(ret));
#endif
  return ret;
}
__device__ unsigned warp() { unsigned ret;
#if defined(__HIP_PLATFORM_AMD__)
  ret = rewarp_warp32_warp_id();
#else
  asm("mov.u32 %0, %%warpid;" : "=r"(ret));
#endif
  return ret; }
__global__ void prefixes(const int* in, float* sums, unsigned* out) {
  unsigned below, active;
#if defined(__HIP_PLATFORM_AMD__)
  below = rewarp_warp32_lanemask_lt();
#else
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));  // the lanes before this one
#endif
#if defined(__HIP_PLATFORM_AMD__)
  active = rewarp_warp32_activemask();
#else
  asm("activemask.b32 %0;" : "=r"(active));
#endif
  unsigned votes = rewarp_warp32_ballot_sync(active, in[threadIdx.x] > 0);
  if (in[threadIdx.x] > 0)
#if defined(__HIP_PLATFORM_AMD__)
    out[threadIdx.x] = rewarp_warp32_reduce_add_sync(static_cast<unsigned>(votes), static_cast<unsigned>(in[threadIdx.x]));
#else
    asm("redux.sync.add.u32 %0, %1, %2;"
        : "=r"(out[threadIdx.x])
        : "r"(in[threadIdx.x]), "r"(votes));
#endif
  float other;
#if defined(__HIP_PLATFORM_AMD__)
  other = rewarp_waves::as<float>(rewarp_warp32_ptx_shfl_bfly(rewarp_waves::as<unsigned>(sums[threadIdx.x]), 1, 0x1fu));
#else
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=f"(other) : "f"(sums[threadIdx.x]), "r"(1));
#endif
#if defined(__HIP_PLATFORM_AMD__)
  do { bool ptx_p; float ptx_r; ptx_r = rewarp_waves::as<float>(rewarp_warp32_ptx_shfl_up(rewarp_waves::as<unsigned>(other), 1u, 0u, ptx_p)); if (ptx_p) other = rewarp_waves::fadd<float>(ptx_r, other); } while (0);
#else
  asm("{ .reg .pred p; .reg .f32 r; shfl.sync.up.b32 r|p, %1, 1, 0, -1; @p add.f32 %0, r, %0; }" : "+f"(other) : "f"(other));
#endif
  sums[threadIdx.x] += other * __popc(votes & below) + lane() + warp();
#if defined(__HIP_PLATFORM_AMD__)
  rewarp_warp32_syncwarp(static_cast<unsigned>(rewarp_warp32_activemask()));
#else
  asm volatile("bar.warp.sync %0;" ::"r"(rewarp_warp32_activemask()));
#endif
}
