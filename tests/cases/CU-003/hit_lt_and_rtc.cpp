#include <cublasLt.h>
#include <nvrtc.h>

void compile(nvrtcProgram program, cublasLtHandle_t light) { nvrtcCompileProgram(program, 0, nullptr); }
# output
1 build-fail: #include <cublasLt.h>
2 build-fail: #include <nvrtc.h>
# fixed
--- /dev/null
+++ hit_lt_and_rtc.cpp.hip
@@ -0,0 +1,5 @@
+#include "rewarp_hip.h"
+#include <hipblaslt/hipblaslt.h>
+#include <hip/hiprtc.h>
+
+void compile(hiprtcProgram program, hipblasLtHandle_t light) { rewarp_rtc_compile(program, 0, nullptr); }
