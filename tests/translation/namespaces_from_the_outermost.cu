#include <cub/cub.cuh>

namespace blocks = ::cub;
using namespace ::cub;

__global__ void sum(int* x) {
  typedef blocks::BlockReduce<int, 128> Reduce;
  __shared__ Reduce::TempStorage room;
  BlockScan<int, 128>::TempStorage* none = nullptr;
  int all = Reduce(room).Sum(x[threadIdx.x]);
  if (threadIdx.x == 0 && !none) x[0] = all;
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hipcub/hipcub.hpp>

namespace blocks = ::hipcub;
using namespace ::hipcub;

__global__ void sum(int* x) {
  typedef blocks::BlockReduce<int, 128> Reduce;
  __shared__ Reduce::TempStorage room;
  BlockScan<int, 128>::TempStorage* none = nullptr;
  int all = Reduce(room).Sum(x[threadIdx.x]);
  if (threadIdx.x == 0 && !none) x[0] = all;
}
