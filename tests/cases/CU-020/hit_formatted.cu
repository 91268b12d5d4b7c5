#include <cuda_runtime.h>

template <typename T>
__global__ void scale(T* x, int n) {}

void run(float* x, int n) {
  scale << <n / 256, 256 >> >(x, n);
  scale<float> << <dim3(n), dim3(32, 8), n * sizeof(float) >> > (x, n);
}
# output
7 build-fail: << <
# fixed
--- hit_formatted.cu
+++ hit_formatted.hip
@@ -1,9 +1,9 @@
-#include <cuda_runtime.h>
+#include <hip/hip_runtime.h>
 
 template <typename T>
 __global__ void scale(T* x, int n) {}
 
 void run(float* x, int n) {
-  scale << <n / 256, 256 >> >(x, n);
-  scale<float> << <dim3(n), dim3(32, 8), n * sizeof(float) >> > (x, n);
+  scale <<<n / 256, 256 >>>(x, n);
+  scale<float> <<<dim3(n), dim3(32, 8), n * sizeof(float) >>> (x, n);
 }
