#include <curand_kernel.h>

__global__ void seed(curandState* states, unsigned long long value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(value, i, 0, &states[i]);
}

__global__ void walk(curandState_t* states, float* out, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandState local = states[i];
  float place = 0;
  for (int step = 0; step < steps; ++step) place += curand_uniform(&local) < 0.5f ? curand_normal(&local) : 1.0f;
  out[i] = place + curand(&local);
  states[i] = local;
}

__global__ void philox(curandStatePhilox4_32_10_t* states, float4* out) {
  out[threadIdx.x] = curand_uniform4(&states[threadIdx.x]);
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hiprand/hiprand_kernel.h>

__global__ void seed(hiprandState* states, unsigned long long value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  hiprand_init(value, i, 0, &states[i]);
}

__global__ void walk(hiprandState_t* states, float* out, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  hiprandState local = states[i];
  float place = 0;
  for (int step = 0; step < steps; ++step) place += hiprand_uniform(&local) < 0.5f ? hiprand_normal(&local) : 1.0f;
  out[i] = place + hiprand(&local);
  states[i] = local;
}

__global__ void philox(hiprandStatePhilox4_32_10_t* states, float4* out) {
  out[threadIdx.x] = hiprand_uniform4(&states[threadIdx.x]);
}
// ---- findings ----
// 5 noted curand_init
