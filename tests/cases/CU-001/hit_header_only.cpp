#include <vector>
#include <cuda_runtime_api.h>
#include <cuda_fp16.h>

std::vector<int> ids();
# output
2 build-fail: #include <cuda_runtime_api.h>
# fixed
--- hit_header_only.cpp
+++ hit_header_only.cpp.hip
@@ -1,5 +1,5 @@
 #include <vector>
-#include <cuda_runtime_api.h>
-#include <cuda_fp16.h>
+#include <hip/hip_runtime_api.h>
+#include <hip/hip_fp16.h>
 
 std::vector<int> ids();
