__device__ __forceinline__ unsigned lane() {
  unsigned id;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}

__device__ unsigned mix(unsigned a, unsigned b) {
  unsigned d;
  asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(d) : "r"(a), "r"(b));
  asm("trap;");
  return d;
}
# output
3 build-fail: asm volatile("mov.u32 %0, %%laneid;" : "=r"(id))
9 build-fail: asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(d) : "r"(a), "r"(b))
10 build-fail: asm("trap;")
# fixed
--- hit_lane.cu
+++ hit_lane.hip
@@ -1,12 +1,18 @@
+#include "rewarp_hip.h"
+#include "rewarp_waves.h"
 __device__ __forceinline__ unsigned lane() {
   unsigned id;
+#if defined(__HIP_PLATFORM_AMD__)
+  id = rewarp_warp32_lane_id();
+#else
   asm volatile("mov.u32 %0, %%laneid;" : "=r"(id));
+#endif
   return id;
 }
 
 __device__ unsigned mix(unsigned a, unsigned b) {
   unsigned d;
-  asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(d) : "r"(a), "r"(b));
-  asm("trap;");
+  d = rewarp_ptx::prmt(a, b, 0x5410u);
+  abort();
   return d;
 }
