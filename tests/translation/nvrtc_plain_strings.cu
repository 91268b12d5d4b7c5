#include <nvrtc.h>

static const char* source =
    "#include <stdint.h>\n"
    "extern \"C\" __global__ void f(float* x)\n"  // one string with the last
    "{ cudaError_t e; }\n";
static const char* neutral = "extern \"C\" __global__ void g(int* x) { x[threadIdx.x] = 1; }\n";
static const char* message = "cudaMalloc failed";

nvrtcResult build(nvrtcProgram* program) {
  return nvrtcCreateProgram(program, source ? source : neutral, message, 0, nullptr, nullptr);
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>

static const char* source =
    "#include <stdint.h>\n"
    "extern \"C\" __global__ void f(float* x)\n"  // one string with the last
    "{ cudaError_t e; }\n";
static const char* neutral = "extern \"C\" __global__ void g(int* x) { x[threadIdx.x] = 1; }\n";
static const char* message = "cudaMalloc failed";

hiprtcResult build(hiprtcProgram* program) {
  return hiprtcCreateProgram(program, source ? source : neutral, message, 0, nullptr, nullptr);
}
// ---- findings ----
// 4 unsupported
