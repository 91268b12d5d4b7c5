#include <cub/cub.cuh>

cudaError_t sort_and_sum(int* keys, int* keys_out, int* sum, int count, cudaStream_t stream) {
  void* storage = nullptr;
  size_t bytes = 0;
  cub::DoubleBuffer<int> buffer(keys, keys_out);
  cub::DeviceRadixSort::SortKeys(storage, bytes, buffer, count, 0, sizeof(int) * 8, stream);
  cudaMallocAsync(&storage, bytes, stream);
  cub::DeviceRadixSort::SortKeys(storage, bytes, buffer, count, 0, sizeof(int) * 8, stream);
  return CubDebug(cub::DeviceReduce::Sum(storage, bytes, keys, sum, count, stream));
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hipcub/hipcub.hpp>

hipError_t sort_and_sum(int* keys, int* keys_out, int* sum, int count, hipStream_t stream) {
  void* storage = nullptr;
  size_t bytes = 0;
  hipcub::DoubleBuffer<int> buffer(keys, keys_out);
  hipcub::DeviceRadixSort::SortKeys(storage, bytes, buffer, count, 0, sizeof(int) * 8, stream);
  hipMallocAsync(&storage, bytes, stream);
  hipcub::DeviceRadixSort::SortKeys(storage, bytes, buffer, count, 0, sizeof(int) * 8, stream);
  return HipcubDebug(hipcub::DeviceReduce::Sum(storage, bytes, keys, sum, count, stream));
}
