#include <cuda_runtime.h>

__constant__ float weights[16];
__device__ int counter;

__global__ void count() { atomicAdd(&counter, static_cast<int>(weights[0])); }

int run(const float* host, cudaStream_t stream) {
  int result = 0;
  void* address;
  size_t size;
  cudaMemcpyToSymbol(weights, host, sizeof(weights));
  cudaMemcpyToSymbolAsync(weights, host, sizeof(weights), 0, cudaMemcpyHostToDevice, stream);
  cudaGetSymbolAddress(&address, counter);
  cudaGetSymbolSize(&size, weights);
  count<<<1, 64>>>();
  cudaMemcpyFromSymbol(&result, counter, sizeof(int), 0, cudaMemcpyDeviceToHost);
  return result;
}
// ---- HIP ----
#include <hip/hip_runtime.h>

__constant__ float weights[16];
__device__ int counter;

__global__ void count() { atomicAdd(&counter, static_cast<int>(weights[0])); }

int run(const float* host, hipStream_t stream) {
  int result = 0;
  void* address;
  size_t size;
  hipMemcpyToSymbol(HIP_SYMBOL(weights), host, sizeof(weights));
  hipMemcpyToSymbolAsync(HIP_SYMBOL(weights), host, sizeof(weights), 0, hipMemcpyHostToDevice, stream);
  hipGetSymbolAddress(&address, HIP_SYMBOL(counter));
  hipGetSymbolSize(&size, HIP_SYMBOL(weights));
  count<<<1, 64>>>();
  hipMemcpyFromSymbol(&result, HIP_SYMBOL(counter), sizeof(int), 0, hipMemcpyDeviceToHost);
  return result;
}
