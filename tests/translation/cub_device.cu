#include <cub/cub.cuh>

cudaError_t running_sum(int* in, int* out, int* sum, int count, cudaStream_t stream) {
  void* storage = nullptr;
  size_t bytes = 0;
  cub::CountingInputIterator<int> numbers(0);
  cub::DeviceReduce::Sum(storage, bytes, numbers, sum, count, stream);
  cudaMallocAsync(&storage, bytes, stream);
  cub::DeviceReduce::Sum(storage, bytes, numbers, sum, count, stream);
  return CubDebug(cub::DeviceScan::ExclusiveSum(storage, bytes, in, out, count, stream));
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hipcub/hipcub.hpp>

hipError_t running_sum(int* in, int* out, int* sum, int count, hipStream_t stream) {
  void* storage = nullptr;
  size_t bytes = 0;
  hipcub::CountingInputIterator<int> numbers(0);
  hipcub::DeviceReduce::Sum(storage, bytes, numbers, sum, count, stream);
  hipMallocAsync(&storage, bytes, stream);
  hipcub::DeviceReduce::Sum(storage, bytes, numbers, sum, count, stream);
  return HipcubDebug(hipcub::DeviceScan::ExclusiveSum(storage, bytes, in, out, count, stream));
}
