// compile: no, HIP has no cuda::atomic_ref
#include <cuda/std/limits>
#include <cuda/atomic>

__global__ void count(int* total, float* smallest) {
  cuda::atomic_ref<int, cuda::thread_scope_device> counter(*total);
  counter.fetch_add(1, cuda::std::memory_order_relaxed);
  counter.store(2, cuda::memory_order_release);
  smallest[0] = cuda::std::numeric_limits<float>::max();
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <limits>
#include <cuda/atomic>

__global__ void count(int* total, float* smallest) {
  cuda::atomic_ref<int, cuda::thread_scope_device> counter(*total);
  counter.fetch_add(1, std::memory_order_relaxed);
  counter.store(2, cuda::memory_order_release);
  smallest[0] = std::numeric_limits<float>::max();
}
// ---- findings ----
// 1 noted cuda/std/limits
// 2 unsupported cuda/atomic
// 5 unsupported cuda
// 5 unsupported cuda
// 6 noted cuda::std
// 7 unsupported cuda
