#include <cuda_runtime.h>
#include "device_launch_parameters.h"
#include <sm_60_atomic_functions.h>
# output
2 build-fail: #include "device_launch_parameters.h"
3 build-fail: #include <sm_60_atomic_functions.h>
# fixed
--- /dev/null
+++ hit_headers.hip
@@ -0,0 +1 @@
+#include <hip/hip_runtime.h>
