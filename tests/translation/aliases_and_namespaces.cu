#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace gpu {
using Stream = cudaStream_t;
typedef cudaEvent_t Event;
using ::cudaMalloc;
constexpr auto copy_in = cudaMemcpyHostToDevice;
template <typename T> struct Traits;
template <> struct Traits<__half> { static constexpr auto type = CUDA_R_16F; };
}  // namespace gpu

using namespace cooperative_groups;

__global__ void kernel(gpu::Traits<__half>* x) { this_thread_block().sync(); }

void copy(gpu::Stream stream, void* to, const void* from, size_t bytes) {
  void* memory;
  ::cudaMemcpyAsync(to, from, bytes, gpu::copy_in, stream);
  gpu::cudaMalloc(&memory, bytes);
}
// ---- HIP ----
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

namespace gpu {
using Stream = hipStream_t;
typedef hipEvent_t Event;
using ::hipMalloc;
constexpr auto copy_in = hipMemcpyHostToDevice;
template <typename T> struct Traits;
template <> struct Traits<__half> { static constexpr auto type = HIP_R_16F; };
}  // namespace gpu

using namespace cooperative_groups;

__global__ void kernel(gpu::Traits<__half>* x) { this_thread_block().sync(); }

void copy(gpu::Stream stream, void* to, const void* from, size_t bytes) {
  void* memory;
  ::hipMemcpyAsync(to, from, bytes, gpu::copy_in, stream);
  gpu::hipMalloc(&memory, bytes);
}
