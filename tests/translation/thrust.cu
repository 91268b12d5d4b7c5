#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/transform_reduce.h>

struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};

float norm(thrust::device_vector<float>& data, cudaStream_t stream) {
  thrust::sort(thrust::cuda::par.on(stream), data.begin(), data.end());
  float* raw = thrust::raw_pointer_cast(data.data());
  thrust::fill(thrust::device, raw, raw + 1, 0.0f);
  return thrust::transform_reduce(thrust::cuda::par, data.begin(), data.end(), Square(), 0.0f, thrust::plus<float>());
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <thrust/system/hip/execution_policy.h>
#include <thrust/transform_reduce.h>

struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};

float norm(thrust::device_vector<float>& data, hipStream_t stream) {
  thrust::sort(thrust::hip::par.on(stream), data.begin(), data.end());
  float* raw = thrust::raw_pointer_cast(data.data());
  thrust::fill(thrust::device, raw, raw + 1, 0.0f);
  return thrust::transform_reduce(thrust::hip::par, data.begin(), data.end(), Square(), 0.0f, thrust::plus<float>());
}
