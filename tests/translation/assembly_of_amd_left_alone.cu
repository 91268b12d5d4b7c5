#include <hip/hip_runtime.h>

__global__ void wait(int* x) {
  asm volatile("s_waitcnt vmcnt(0)");
  asm volatile("v_mov_b32 %0, 1" : "=v"(x[0]));
}
// ---- unchanged ----
