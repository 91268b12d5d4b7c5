#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

template <int threads>
__global__ void block_sum(const int* in, int* out) {
  typedef cub::BlockReduce<int, threads> Reduce;
  using Scan = cub::BlockScan<int, threads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Reduce::TempStorage reduce_storage;
  __shared__ typename Scan::TempStorage scan_storage;
  int value = in[threadIdx.x];
  int sum = Reduce(reduce_storage).Sum(value);
  int largest = Reduce(reduce_storage).Reduce(value, cub::Max());
  Scan(scan_storage).ExclusiveSum(value, value);
  out[threadIdx.x] = value + sum + largest;
}

template __global__ void block_sum<128>(const int*, int*);
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hipcub/config.hpp>
#include <hipcub/block/block_reduce.hpp>
#include <hipcub/block/block_scan.hpp>

template <int threads>
__global__ void block_sum(const int* in, int* out) {
  typedef hipcub::BlockReduce<int, threads> Reduce;
  using Scan = hipcub::BlockScan<int, threads, hipcub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Reduce::TempStorage reduce_storage;
  __shared__ typename Scan::TempStorage scan_storage;
  int value = in[threadIdx.x];
  int sum = Reduce(reduce_storage).Sum(value);
  int largest = Reduce(reduce_storage).Reduce(value, hipcub::Max());
  Scan(scan_storage).ExclusiveSum(value, value);
  out[threadIdx.x] = value + sum + largest;
}

template __global__ void block_sum<128>(const int*, int*);
