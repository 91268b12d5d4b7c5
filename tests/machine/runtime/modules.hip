#include "check.h"
#include <hip/hiprtc.h>
#include <string>
#include <vector>
static const char *source = R"(
#include "factor.h"
__device__ int kept = 40;
template <typename T> __global__ void scale(T *p, T by) { p[threadIdx.x] = p[threadIdx.x] * by + FACTOR + EXTRA; }
extern "C" __global__ void plain(int *p) { *p = kept; kept = 41; }
)";
#define RTC(call) CHECK((call) == HIPRTC_SUCCESS)
int main() {
  hiprtcProgram program;
  const char *header = "#define FACTOR 10\n", *name = "factor.h";
  RTC(hiprtcCreateProgram(&program, source, "scale.hip", 1, &header, &name));
  RTC(hiprtcAddNameExpression(program, "&scale<float>"));
  RTC(hiprtcAddNameExpression(program, "scale<int>"));
  const char *options[] = {"-DEXTRA=2", "-O3", "--gpu-architecture=gfx000"};
  RTC(hiprtcCompileProgram(program, 3, options));
  const char *lowered, *other;
  RTC(hiprtcGetLoweredName(program, "&scale<float>", &lowered));
  RTC(hiprtcGetLoweredName(program, "scale<int>", &other));
  size_t size;
  RTC(hiprtcGetCodeSize(program, &size));
  std::vector<char> code(size);
  RTC(hiprtcGetCode(program, code.data()));
  hipModule_t module;
  hipFunction_t f, g, plain;
  FINE(hipModuleLoadData(&module, code.data()));
  FINE(hipModuleGetFunction(&f, module, lowered));
  FINE(hipModuleGetFunction(&g, module, other));
  FINE(hipModuleGetFunction(&plain, module, "plain"));
  GIVES(hipErrorNotFound, hipModuleGetFunction(&plain, module, "nothing"));
  FINE(hipModuleGetFunction(&plain, module, "plain"));
  float *p, by = 3, host[64];
  for (int i = 0; i < 64; i++) host[i] = (float)i;
  FINE(hipMalloc(&p, sizeof host));
  FINE(hipMemcpy(p, host, sizeof host, hipMemcpyHostToDevice));
  void *arguments[] = {&p, &by};
  FINE(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, 0, arguments, nullptr));
  struct { float *p; float by; } packed = {p, 2};
  size_t packed_size = sizeof packed;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &packed_size, HIP_LAUNCH_PARAM_END};
  FINE(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, 0, nullptr, extra));
  FINE(hipMemcpy(host, p, sizeof host, hipMemcpyDeviceToHost));
  CHECK(host[5] == (5.0f * 3 + 12) * 2 + 12);
  int *kept, value;
  size_t bytes;
  FINE(hipModuleGetGlobal((void **)&kept, &bytes, module, "kept"));
  CHECK(bytes == 4);
  void *one[] = {&p};
  FINE(hipModuleLaunchKernel(plain, 1, 1, 1, 1, 1, 1, 0, 0, one, nullptr));
  FINE(hipMemcpy(&value, kept, 4, hipMemcpyDeviceToHost));
  CHECK(value == 41);
  RTC(hiprtcDestroyProgram(&program));
  // What does not compile says so.
  RTC(hiprtcCreateProgram(&program, "__global__ void k() { wrong }", "wrong.hip", 0, nullptr, nullptr));
  CHECK(hiprtcCompileProgram(program, 0, nullptr) == HIPRTC_ERROR_COMPILATION);
  RTC(hiprtcGetProgramLogSize(program, &size));
  std::string log(size, ' ');
  RTC(hiprtcGetProgramLog(program, &log[0]));
  CHECK(log.find("wrong") != std::string::npos);
  GIVES(hipErrorFileNotFound, hipModuleLoad(&module, "there_is_no_such_file"));
  puts("modules: fine");
}
