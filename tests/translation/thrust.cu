#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/transform.h>

struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};

void square(thrust::device_vector<float>& data, cudaStream_t stream) {
  thrust::transform(thrust::cuda::par.on(stream), data.begin(), data.end(), data.begin(), Square());
  float* raw = thrust::raw_pointer_cast(data.data());
  thrust::fill(thrust::device, raw, raw + 1, 0.0f);
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/system/hip/execution_policy.h>
#include <thrust/transform.h>

struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};

void square(thrust::device_vector<float>& data, hipStream_t stream) {
  thrust::transform(thrust::hip::par.on(stream), data.begin(), data.end(), data.begin(), Square());
  float* raw = thrust::raw_pointer_cast(data.data());
  thrust::fill(thrust::device, raw, raw + 1, 0.0f);
}
