#include <cub/cub.cuh>

namespace amgx {

__global__ void most(const int* in, int* out) {
  using Reduce = amgx::cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage space;
  out[0] = Reduce(space).Reduce(in[threadIdx.x], ::amgx::cub::Sum());
}

struct cub_scratch {
  int cub;
};

}  // namespace amgx
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hipcub/hipcub.hpp>

namespace amgx {

__global__ void most(const int* in, int* out) {
  using Reduce = hipcub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage space;
  out[0] = Reduce(space).Reduce(in[threadIdx.x], hipcub::Sum());
}

struct cub_scratch {
  int cub;
};

}  // namespace amgx
// ---- findings ----
// 6 noted cub
// 8 noted cub
