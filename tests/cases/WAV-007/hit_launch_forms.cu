__global__ void rows(float *x) { x[0] = __shfl_down(x[0], 1); }
const int kRow = 32;
void member(float *x, dim3 block) { block.x = 32; rows<<<1, block>>>(x); }
void by_call(float *x, void **args) { cudaLaunchKernel((void*)rows, dim3(1), dim3(32), args, 0, 0); }
void alias(float *x) { auto kernel = rows; kernel<<<1, 32>>>(x); }
void named(float *x) { int threads = kRow; rows<<<1, threads>>>(x); }
__global__ void __launch_bounds__(32) one(float *x) { x[0] = __shfl_down(x[0], 1); }
# output
3 wrong-result: block.x = 32
4 wrong-result: dim3(32)
5 wrong-result: 1, 32
6 wrong-result: threads = kRow
7 info: __launch_bounds__(32
# fixed
--- hit_launch_forms.cu
+++ hit_launch_forms.hip
@@ -1,7 +1,9 @@
-__global__ void rows(float *x) { x[0] = __shfl_down(x[0], 1); }
+#include <hip/hip_runtime.h>
+#include "rewarp_waves.h"
+__global__ void rows(float *x) { x[0] = rewarp_warp32_shfl_down(x[0], 1); }
 const int kRow = 32;
 void member(float *x, dim3 block) { block.x = 32; rows<<<1, block>>>(x); }
-void by_call(float *x, void **args) { cudaLaunchKernel((void*)rows, dim3(1), dim3(32), args, 0, 0); }
+void by_call(float *x, void **args) { hipLaunchKernel((void*)rows, dim3(1), dim3(32), args, 0, 0); }
 void alias(float *x) { auto kernel = rows; kernel<<<1, 32>>>(x); }
 void named(float *x) { int threads = kRow; rows<<<1, threads>>>(x); }
-__global__ void __launch_bounds__(32) one(float *x) { x[0] = __shfl_down(x[0], 1); }
+__global__ void __launch_bounds__(32) one(float *x) { x[0] = rewarp_warp32_shfl_down(x[0], 1); }
