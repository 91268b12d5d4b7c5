void one_each(float *x, int n, cudaStream_t stream) { quantize_rows<float><<<n, 32, 0, stream>>>(x, warpSum(x)); }
void rounded(float *x, int n) {
  dim3 block((n / 2 + 31) / 32 * 32);
  normalize_rows<<<n, block>>>(x);
}
__global__ void sums(float *x) { x[0] = __shfl_down_sync(~0ull, x[threadIdx.x], 1); }
void here(float *x, int n) {
  int threads = std::min(round_up(n, 32), 1024);
  sums<<<1, threads>>>(x);
}
# output
1 info: n, 32, 0, stream
3 info: block((n / 2 + 31) / 32 * 32)
8 info: threads = std::min(round_up(n, 32), 1024)
# fixed
--- hit_kernels_of_other_files.cu
+++ hit_kernels_of_other_files.hip
@@ -1,4 +1,5 @@
-void one_each(float *x, int n, cudaStream_t stream) { quantize_rows<float><<<n, 32, 0, stream>>>(x, warpSum(x)); }
+#include "rewarp_hip.h"
+void one_each(float *x, int n, hipStream_t stream) { quantize_rows<float><<<n, 32, 0, stream>>>(x, warpSum(x)); }
 void rounded(float *x, int n) {
   dim3 block((n / 2 + 31) / 32 * 32);
   normalize_rows<<<n, block>>>(x);
