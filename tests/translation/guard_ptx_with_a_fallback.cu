__device__ void copy_16_bytes(void* shared, const void* global) {
#if __CUDA_ARCH__ >= 800
  unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.bulk.shared::cluster.global [%0], [%1], 16, [%0];\n" ::"r"(address), "l"(global));
#else
  *static_cast<int4*>(shared) = *static_cast<const int4*>(global);
#endif
}

__global__ void kernel(const int4* in, int4* out) {
  __shared__ int4 tile[64];
  copy_16_bytes(&tile[threadIdx.x], &in[threadIdx.x]);
  out[threadIdx.x] = tile[threadIdx.x];
}
// ---- HIP ----
#include <hip/hip_runtime.h>
__device__ void copy_16_bytes(void* shared, const void* global) {
#if 0 /* __CUDA_ARCH__ >= 800 */
  unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.bulk.shared::cluster.global [%0], [%1], 16, [%0];\n" ::"r"(address), "l"(global));
#else
  *static_cast<int4*>(shared) = *static_cast<const int4*>(global);
#endif
}

__global__ void kernel(const int4* in, int4* out) {
  __shared__ int4 tile[64];
  copy_16_bytes(&tile[threadIdx.x], &in[threadIdx.x]);
  out[threadIdx.x] = tile[threadIdx.x];
}
// ---- findings ----
// 2 decision
