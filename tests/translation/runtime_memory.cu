#include <cuda_runtime.h>
#include <vector>

__global__ void scale(float* data, float factor, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] *= factor;
}

void scale_on_gpu(std::vector<float>& host, float factor) {
  size_t bytes = host.size() * sizeof(float);
  float* device = nullptr;
  cudaMalloc(&device, bytes);
  cudaMemcpy(device, host.data(), bytes, cudaMemcpyHostToDevice);
  int threads = 256;
  scale<<<(host.size() + threads - 1) / threads, threads>>>(device, factor, static_cast<int>(host.size()));
  cudaMemcpy(host.data(), device, bytes, cudaMemcpyDeviceToHost);
  cudaMemset(device, 0, bytes);
  cudaFree(device);
}

void pinned_and_managed(int count) {
  float *pinned, *shared, *pitched;
  size_t pitch, free_bytes, total_bytes;
  cudaMallocHost((void**)&pinned, count * sizeof(float));
  cudaMallocManaged(&shared, count * sizeof(float));
  cudaMallocPitch((void**)&pitched, &pitch, 64 * sizeof(float), 16);
  cudaMemcpy2D(pitched, pitch, pinned, 64 * sizeof(float), 64 * sizeof(float), 16, cudaMemcpyDefault);
  cudaMemPrefetchAsync(shared, count * sizeof(float), 0, nullptr);
  cudaMemGetInfo(&free_bytes, &total_bytes);
  cudaFreeHost(pinned);
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <vector>

__global__ void scale(float* data, float factor, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] *= factor;
}

void scale_on_gpu(std::vector<float>& host, float factor) {
  size_t bytes = host.size() * sizeof(float);
  float* device = nullptr;
  hipMalloc(&device, bytes);
  hipMemcpy(device, host.data(), bytes, hipMemcpyHostToDevice);
  int threads = 256;
  scale<<<(host.size() + threads - 1) / threads, threads>>>(device, factor, static_cast<int>(host.size()));
  hipMemcpy(host.data(), device, bytes, hipMemcpyDeviceToHost);
  hipMemset(device, 0, bytes);
  hipFree(device);
}

void pinned_and_managed(int count) {
  float *pinned, *shared, *pitched;
  size_t pitch, free_bytes, total_bytes;
  hipHostMalloc((void**)&pinned, count * sizeof(float), hipHostMallocDefault);
  hipMallocManaged(&shared, count * sizeof(float));
  hipMallocPitch((void**)&pitched, &pitch, 64 * sizeof(float), 16);
  hipMemcpy2D(pitched, pitch, pinned, 64 * sizeof(float), 64 * sizeof(float), 16, hipMemcpyDefault);
  hipMemPrefetchAsync(shared, count * sizeof(float), 0, nullptr);
  hipMemGetInfo(&free_bytes, &total_bytes);
  hipHostFree(pinned);
}
