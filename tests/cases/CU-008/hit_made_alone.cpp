#include <cuda.h>
CUtexObject light = 0;
void make(CUDA_RESOURCE_DESC *resource, CUDA_TEXTURE_DESC *texture) {
  cuTexObjectCreate(&light, resource, texture, nullptr);
}
# output
4 crash: cuTexObjectCreate
# fixed
--- /dev/null
+++ hit_made_alone.cpp.hip
@@ -0,0 +1,5 @@
+#include <hip/hip_runtime.h>
+hipTextureObject_t light = 0;
+void make(HIP_RESOURCE_DESC *resource, HIP_TEXTURE_DESC *texture) {
+  hipTexObjectCreate(&light, resource, texture, nullptr);
+}
