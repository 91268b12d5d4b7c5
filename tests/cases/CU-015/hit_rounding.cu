__global__ void bounds(const __grid_constant__ float scale, float *x) {
  x[0] = __fadd_rd(x[1], scale);
  x[1] = __fmaf_rz(x[0], x[1], scale);
  if (x[0] < 0) __trap();
}
# output
1 build-fail: __grid_constant__
2 build-fail: __fadd_rd
4 build-fail: __trap
# fixed
--- hit_rounding.cu
+++ hit_rounding.hip
@@ -1,3 +1,4 @@
+#include "rewarp_hip.h"
 __global__ void bounds(const __grid_constant__ float scale, float *x) {
   x[0] = __fadd_rd(x[1], scale);
   x[1] = __fmaf_rz(x[0], x[1], scale);
