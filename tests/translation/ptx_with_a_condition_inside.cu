// compile: no, one statement hangs on a macro of the project
#include <cuda_runtime.h>

__device__ void fetch(unsigned to, const void* from, bool guard) {
  asm volatile(
      "{.reg .pred p;\n"
      " setp.ne.b32 p, %2, 0;\n"
#if __CUDACC_VER_MAJOR__ >= 11 && __CUDACC_VER_MINOR__ >= 4
      " @p cp.async.ca.shared.global.L2::128B [%0], [%1], 4;}\n"
#else
      " @p cp.async.ca.shared.global [%0], [%1], 4;}\n"
#endif
      : : "r"(to), "l"(from), "r"((int)guard));
}

__device__ unsigned lane() {
  unsigned id;
  asm("mov.u32 %0, "
#ifdef OF_THE_WARP
      "%laneid;"
#else
      "%tid.x;"
#endif
      : "=r"(id));
  return id;
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_runtime.h>

__device__ void fetch(unsigned to, const void* from, bool guard) {
  do {
    bool ptx_p;
    ptx_p = static_cast<unsigned>((int)guard) != 0u;
    if (ptx_p) rewarp_ptx::copy<4>(rewarp_ptx::shared(to), rewarp_ptx::generic(from));
  } while (0);
}

__device__ unsigned lane() {
  unsigned id;
  asm("mov.u32 %0, "
#ifdef OF_THE_WARP
      "%laneid;"
#else
      "%tid.x;"
#endif
      : "=r"(id));
  return id;
}
// ---- findings ----
// 4 noted
// 17 unsupported
