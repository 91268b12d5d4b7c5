__global__ void sample(cudaTextureObject_t image, float *out, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  out[x] = tex2D<float>(image, x + 0.5f, 0.5f);
}
# output
arch: gfx942
3 build-fail: tex2D
# fixed
--- hit_object.cu
+++ hit_object.hip
@@ -1,4 +1,5 @@
-__global__ void sample(cudaTextureObject_t image, float *out, int width) {
+#include <hip/hip_runtime.h>
+__global__ void sample(hipTextureObject_t image, float *out, int width) {
   int x = blockIdx.x * blockDim.x + threadIdx.x;
   out[x] = tex2D<float>(image, x + 0.5f, 0.5f);
 }
