#define CUB_NS_PREFIX namespace mine {
#define CUB_NS_POSTFIX }
#include <cub/cub.cuh>
#undef CUB_NS_PREFIX
#undef CUB_NS_POSTFIX

__global__ void sum(const int* in, int* out) {
  typedef mine::cub::BlockReduce<int, 128> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  const int all = Reduce(storage).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) *out = all;
}
// ---- HIP ----
#include <hip/hip_runtime.h>
namespace hipcub {}
namespace mine { namespace cub = ::hipcub; }
#define CUB_NS_POSTFIX }
#include <hipcub/hipcub.hpp>
#undef CUB_NS_PREFIX
#undef CUB_NS_POSTFIX

__global__ void sum(const int* in, int* out) {
  typedef mine::cub::BlockReduce<int, 128> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  const int all = Reduce(storage).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) *out = all;
}
// ---- findings ----
// 1 noted CUB_NS_PREFIX
