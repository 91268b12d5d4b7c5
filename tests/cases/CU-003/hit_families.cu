#include <cublas_v2.h>
#include <cub/cub.cuh>
#include <thrust/sort.h>
#include "nccl.h"

void product(cublasHandle_t handle, int n, const float *a, const float *b, float *c) {
  const float one = 1.f, zero = 0.f;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
  using Sum = cub::BlockReduce<float, 256>;
  thrust::sort(c, c + n);
}
# output
1 build-fail: #include <cublas_v2.h>
2 build-fail: #include <cub/cub.cuh>
3 works-as-is: #include <thrust/sort.h>
4 build-fail: #include "nccl.h"
# fixed
--- hit_families.cu
+++ hit_families.hip
@@ -1,11 +1,12 @@
-#include <cublas_v2.h>
-#include <cub/cub.cuh>
+#include "rewarp_hip.h"
+#include <hipblas/hipblas.h>
+#include <hipcub/hipcub.hpp>
 #include <thrust/sort.h>
-#include "nccl.h"
+#include "rccl/rccl.h"
 
-void product(cublasHandle_t handle, int n, const float *a, const float *b, float *c) {
+void product(hipblasHandle_t handle, int n, const float *a, const float *b, float *c) {
   const float one = 1.f, zero = 0.f;
-  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
-  using Sum = cub::BlockReduce<float, 256>;
+  hipblasSgemm(handle, HIPBLAS_OP_N, HIPBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
+  using Sum = hipcub::BlockReduce<float, 256>;
   thrust::sort(c, c + n);
 }
