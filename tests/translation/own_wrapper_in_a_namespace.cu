// A wrapper of the project's own has the arguments that it declares; what it wraps has CUDA's.
#include <cuda_runtime.h>

namespace mine {
namespace memory {
cudaError_t cudaMallocHost(void **p, size_t n) { return ::cudaMallocHost(p, n); }
}  // namespace memory
}  // namespace mine

void take(void **p) {
  mine::memory::cudaMallocHost(p, 16);
  cudaMallocHost(p, 16);
}
// ---- HIP ----
// A wrapper of the project's own has the arguments that it declares; what it wraps has CUDA's.
#include <hip/hip_runtime.h>

namespace mine {
namespace memory {
hipError_t hipHostMalloc(void **p, size_t n) { return ::hipHostMalloc(p, n, hipHostMallocDefault); }
}  // namespace memory
}  // namespace mine

void take(void **p) {
  mine::memory::hipHostMalloc(p, 16);
  hipHostMalloc(p, 16, hipHostMallocDefault);
}
