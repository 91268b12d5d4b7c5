#include <cuda_runtime.h>

void forward(cudaTextureObject_t *object) { cudaCreateTextureObject(object, 0, 0, 0); }
# output
3 crash: cudaCreateTextureObject
# fixed
--- hit_host_alone.cpp
+++ hit_host_alone.cpp.hip
@@ -1,3 +1,3 @@
-#include <cuda_runtime.h>
+#include <hip/hip_runtime.h>
 
-void forward(cudaTextureObject_t *object) { cudaCreateTextureObject(object, 0, 0, 0); }
+void forward(hipTextureObject_t *object) { hipCreateTextureObject(object, 0, 0, 0); }
