#include <cuda.h>
#include <nvrtc.h>
#include <string>

static const char* source = R"(
extern "C" __global__ void axpy(float a, const float* x, float* y) {
  int i = threadIdx.x;
  unsigned mask = __ballot_sync(0xffffffff, i < 16);
  y[i] += a * x[i] + __popc(mask);
}
)";

CUfunction build(CUmodule* module) {
  nvrtcProgram program;
  char architecture[] = "--gpu-architecture=sm_80";
  char* options[] = {architecture};
  nvrtcCreateProgram(&program, source, "axpy.cu", 0, nullptr, nullptr);
  if (nvrtcCompileProgram(program, 1, options) != NVRTC_SUCCESS) {
    size_t length;
    nvrtcGetProgramLogSize(program, &length);
    std::string log(length, '\0');
    nvrtcGetProgramLog(program, &log[0]);
    return nullptr;
  }
  size_t size;
  nvrtcGetPTXSize(program, &size);
  std::string code(size, '\0');
  nvrtcGetPTX(program, &code[0]);
  nvrtcDestroyProgram(&program);
  cuModuleLoadDataEx(module, code.data(), 0, nullptr, nullptr);
  CUfunction function;
  cuModuleGetFunction(&function, *module, "axpy");
  return function;
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>
#include <string>

static const char* source = R"(
#include "rewarp_hip.h"
extern "C" __global__ void axpy(float a, const float* x, float* y) {
  int i = threadIdx.x;
  unsigned mask = __ballot_sync(0xffffffff, i < 16);
  y[i] += a * x[i] + __popc(mask);
}
)";

hipFunction_t build(hipModule_t* module) {
  hiprtcProgram program;
  char architecture[] = "--gpu-architecture=sm_80";
  char* options[] = {architecture};
  hiprtcCreateProgram(&program, source, "axpy.cu", 0, nullptr, nullptr);
  if (rewarp_rtc_compile(program, 1, options) != HIPRTC_SUCCESS) {
    size_t length;
    hiprtcGetProgramLogSize(program, &length);
    std::string log(length, '\0');
    hiprtcGetProgramLog(program, &log[0]);
    return nullptr;
  }
  size_t size;
  hiprtcGetCodeSize(program, &size);
  std::string code(size, '\0');
  hiprtcGetCode(program, &code[0]);
  hiprtcDestroyProgram(&program);
  hipModuleLoadDataEx(module, code.data(), 0, nullptr, nullptr);
  hipFunction_t function;
  hipModuleGetFunction(&function, *module, "axpy");
  return function;
}
// ---- findings ----
// 5 noted
// 26 noted nvrtcGetPTXSize
// 28 noted nvrtcGetPTX
// 30 noted cuModuleLoadDataEx
