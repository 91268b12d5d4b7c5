#include <cuda_runtime.h>

// Nothing here compiles it when the program runs: a string like any other, and told of.
static const char* source = R"cuda(
#include <cuda_fp16.h>
extern "C" __global__ void f(half* x) { cudaError_t error; }
)cuda";
static const char* neutral = R"(__global__ void g(int* x) { x[threadIdx.x] = 1; })";
static const char* plain = "__global__ void h(cudaError_t* x) {}";

cudaError_t show(const char** to) {
  *to = source ? source : neutral ? neutral : plain;
  return cudaSuccess;
}
// ---- HIP ----
#include <hip/hip_runtime.h>

// Nothing here compiles it when the program runs: a string like any other, and told of.
static const char* source = R"cuda(
#include <cuda_fp16.h>
extern "C" __global__ void f(half* x) { cudaError_t error; }
)cuda";
static const char* neutral = R"(__global__ void g(int* x) { x[threadIdx.x] = 1; })";
static const char* plain = "__global__ void h(cudaError_t* x) {}";

hipError_t show(const char** to) {
  *to = source ? source : neutral ? neutral : plain;
  return hipSuccess;
}
// ---- findings ----
// 4 noted
