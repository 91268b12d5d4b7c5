#include <mma.h>
using namespace nvcuda;

__global__ void product(const half *a, const half *b, float *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fragment;
  wmma::load_matrix_sync(fragment, a, 16);
}
# output
1 build-fail: #include <mma.h>
# fixed
--- hit_header.cu
+++ hit_header.hip
@@ -1,4 +1,4 @@
-#include <mma.h>
+#include "rewarp_hip.h"
 using namespace nvcuda;
 
 __global__ void product(const half *a, const half *b, float *c) {
