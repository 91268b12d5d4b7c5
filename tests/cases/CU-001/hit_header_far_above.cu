#include <vector>
#include <cuda_runtime.h>

struct Grid {
  int width;
  int height;
};

int cells(const Grid &grid) { return grid.width * grid.height; }

void wait() { cudaDeviceSynchronize(); }
# output
2 build-fail: #include <cuda_runtime.h>
11 build-fail: cudaDeviceSynchronize
# fixed
--- hit_header_far_above.cu
+++ hit_header_far_above.hip
@@ -1,5 +1,5 @@
 #include <vector>
-#include <cuda_runtime.h>
+#include <hip/hip_runtime.h>
 
 struct Grid {
   int width;
@@ -8,4 +8,4 @@
 
 int cells(const Grid &grid) { return grid.width * grid.height; }
 
-void wait() { cudaDeviceSynchronize(); }
+void wait() { hipDeviceSynchronize(); }
