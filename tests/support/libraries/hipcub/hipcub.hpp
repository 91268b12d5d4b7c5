// Stands for hipCUB where it is not installed: the classes that the cases name types and objects of, as it declares them.
#pragma once
#include <hip/hip_runtime.h>

namespace hipcub {
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_WARP_SCANS };
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CS };
struct Max {
  template <typename T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
template <typename T, int Lanes = 32>
struct WarpReduce {
  struct TempStorage {};
  __device__ explicit WarpReduce(TempStorage&) {}
  __device__ T Sum(T value) { return value; }
};
template <typename T, int Threads>
struct BlockReduce {
  struct TempStorage {};
  __device__ explicit BlockReduce(TempStorage&) {}
  __device__ T Sum(T value) { return value; }
  template <typename Operation>
  __device__ T Reduce(T value, Operation) {
    return value;
  }
};
template <typename T, int Threads, BlockScanAlgorithm Algorithm = BLOCK_SCAN_RAKING>
struct BlockScan {
  struct TempStorage {};
  __device__ explicit BlockScan(TempStorage&) {}
  __device__ void ExclusiveSum(T value, T& sum) { sum = value; }
};
template <CacheLoadModifier Modifier, typename T>
struct CacheModifiedInputIterator {
  T* data;
  __host__ __device__ explicit CacheModifiedInputIterator(T* data) : data(data) {}
  __device__ T operator[](int at) const { return data[at]; }
};
}  // namespace hipcub
