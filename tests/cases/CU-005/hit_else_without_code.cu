__global__ void tile(unsigned *a, unsigned *out, unsigned addr) {
#if __CUDA_ARCH__ >= 750
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(addr));
#else
  // older ones have none
  #pragma message("FP16 kernels will not be compiled for SM75-.")
#endif
    out[threadIdx.x] = a[0];
}
# output
3 wrong-result: asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
# fixed
--- hit_else_without_code.cu
+++ hit_else_without_code.hip
@@ -1,5 +1,6 @@
+#include <hip/hip_runtime.h>
 __global__ void tile(unsigned *a, unsigned *out, unsigned addr) {
-#if __CUDA_ARCH__ >= 750
+#if 0 /* __CUDA_ARCH__ >= 750 */
     asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                  : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(addr));
 #else
