// fix: safe
#include <cub/cub.cuh>

using namespace cub;

template <typename T, int Items>
struct Row {
  typedef WarpExchange<T, Items> Exchange;
  using Load = cub::WarpLoad<T, Items>;
  using Store = cub::WarpStore<T, Items, cub::WARP_STORE_TRANSPOSE>;
  using Sort = ::cub::WarpMergeSort<T, Items>;
  typename Load::TempStorage load;
};

#define PREFIX(T) cub::WarpScan<T>

// Widths that are told stay.
typedef cub::WarpReduce<int, 16> Half;
using Whole = cub::WarpReduce<int, 32>;

__global__ void prefix(const int* in, int* out) {
  __shared__ PREFIX(int)::TempStorage storage[8];
  __shared__ WarpReduce<int>::TempStorage more[8];
  int sum, v = in[threadIdx.x];
  PREFIX(int)(storage[threadIdx.x / 32]).InclusiveSum(v, sum);
  out[threadIdx.x] = sum + WarpReduce<int>(more[threadIdx.x >> 5]).Sum(v);
}
// output
// fix: safe
#include <cub/cub.cuh>
#include "rewarp_waves.h"

using namespace cub;

template <typename T, int Items>
struct Row {
  typedef WarpExchange<T, Items REWARP_WARP32_LANES> Exchange;
  using Load = cub::WarpLoad<T, Items REWARP_WARP32_LOAD>;
  using Store = cub::WarpStore<T, Items, cub::WARP_STORE_TRANSPOSE REWARP_WARP32_LANES>;
  using Sort = ::cub::WarpMergeSort<T, Items REWARP_WARP32_LANES>;
  typename Load::TempStorage load;
};

#define PREFIX(T) cub::WarpScan<T REWARP_WARP32_LANES>

// Widths that are told stay.
typedef cub::WarpReduce<int, 16> Half;
using Whole = cub::WarpReduce<int, 32>;

__global__ void prefix(const int* in, int* out) {
  __shared__ PREFIX(int)::TempStorage storage[8];
  __shared__ WarpReduce<int REWARP_WARP32_LANES>::TempStorage more[8];
  int sum, v = in[threadIdx.x];
  PREFIX(int)(storage[threadIdx.x / 32]).InclusiveSum(v, sum);
  out[threadIdx.x] = sum + WarpReduce<int REWARP_WARP32_LANES>(more[threadIdx.x >> 5]).Sum(v);
}
