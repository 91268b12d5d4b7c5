#include <nvrtc.h>

// Without the request, source in a string is a string like any other.
static const char* source = R"cuda(
#include <cuda_fp16.h>
extern "C" __global__ void f(half* x) { cudaError_t error; }
)cuda";

nvrtcResult build(nvrtcProgram* program) {
  return nvrtcCreateProgram(program, source, "f.cu", 0, nullptr, nullptr);
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>

// Without the request, source in a string is a string like any other.
static const char* source = R"cuda(
#include <cuda_fp16.h>
extern "C" __global__ void f(half* x) { cudaError_t error; }
)cuda";

hiprtcResult build(hiprtcProgram* program) {
  return hiprtcCreateProgram(program, source, "f.cu", 0, nullptr, nullptr);
}
