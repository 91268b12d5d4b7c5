#include <cuda.h>
#include <cuda_runtime.h>
#include <stdexcept>

inline void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}
inline void check(CUresult error) {
  if (error != CUDA_SUCCESS) throw std::runtime_error("driver");
}

void run() {
  check(cuInit(0));
  check(cudaSetDevice(0));
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <stdexcept>

inline void check(hipError_t error) {
  if (error != hipSuccess) throw std::runtime_error(hipGetErrorString(error));
}
#if !defined(__HIP_PLATFORM_AMD__)
inline void check(hipError_t error) {
  if (error != hipSuccess) throw std::runtime_error("driver");
}
#endif

void run() {
  check(hipInit(0));
  check(hipSetDevice(0));
}
// ---- findings ----
// 8 noted check
