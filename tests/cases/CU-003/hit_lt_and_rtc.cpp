#include <cublasLt.h>
#include <nvrtc.h>

void compile(nvrtcProgram program, cublasLtHandle_t light) { nvrtcCompileProgram(program, 0, nullptr); }
# output
1 build-fail: #include <cublasLt.h>
2 build-fail: #include <nvrtc.h>
