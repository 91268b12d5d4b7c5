#include <cub/cub.cuh>

#define WARP_REDUCE(T) cub::WarpReduce<T>

using namespace cub;

__global__ void warp_sum(float* data) {
  __shared__ WARP_REDUCE(float)::TempStorage storage;
  float sum = WARP_REDUCE(float)(storage).Sum(data[threadIdx.x]);
  CacheModifiedInputIterator<LOAD_CS, float> streamed(data);
  if (threadIdx.x == 0) data[0] = sum + streamed[1];
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hipcub/hipcub.hpp>

#define WARP_REDUCE(T) hipcub::WarpReduce<T, 32>

using namespace hipcub;

__global__ void warp_sum(float* data) {
  __shared__ WARP_REDUCE(float)::TempStorage storage;
  float sum = WARP_REDUCE(float)(storage).Sum(data[threadIdx.x]);
  CacheModifiedInputIterator<LOAD_CS, float> streamed(data);
  if (threadIdx.x == 0) data[0] = sum + streamed[1];
}
