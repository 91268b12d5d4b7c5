#include <nvfunctional>

__global__ void apply(float* x) {
    nvstd::function<float(float)> f = [](float a) { return a + 1; };
    x[0] = f(x[0]);
}
# output
1 build-fail: #include <nvfunctional>
# fixed
--- hit_functions.cu
+++ hit_functions.hip
@@ -1,3 +1,4 @@
+#include <hip/hip_runtime.h>
 #include <nvfunctional>
 
 __global__ void apply(float* x) {
