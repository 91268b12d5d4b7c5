#include <cuda.h>
void load(const void *image) {
  CUlibrary library;
  CUkernel kernel;
  CUlaunchConfig config{};
  cuLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0);
}
# output
3 build-fail: CUlibrary
# fixed
--- /dev/null
+++ hit_libraries_and_config.cpp.hip
@@ -0,0 +1,7 @@
+#include <hip/hip_runtime.h>
+void load(const void *image) {
+  hipLibrary_t library;
+  hipKernel_t kernel;
+  HIP_LAUNCH_CONFIG config{};
+  hipLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0);
+}
