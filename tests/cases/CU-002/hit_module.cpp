#include <cuda.h>

CUfunction load(const void *image, const char *name) {
  CUmodule module;
  CUfunction function;
  if (cuModuleLoadData(&module, image) != CUDA_SUCCESS) return nullptr;
  cuModuleGetFunction(&function, module, name);
  return function;
}
# output
3 build-fail: CUfunction
# fixed
--- hit_module.cpp
+++ hit_module.cpp.hip
@@ -1,9 +1,9 @@
-#include <cuda.h>
+#include <hip/hip_runtime.h>
 
-CUfunction load(const void *image, const char *name) {
-  CUmodule module;
-  CUfunction function;
-  if (cuModuleLoadData(&module, image) != CUDA_SUCCESS) return nullptr;
-  cuModuleGetFunction(&function, module, name);
+hipFunction_t load(const void *image, const char *name) {
+  hipModule_t module;
+  hipFunction_t function;
+  if (hipModuleLoadData(&module, image) != hipSuccess) return nullptr;
+  hipModuleGetFunction(&function, module, name);
   return function;
 }
