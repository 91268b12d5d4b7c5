#include <cuda_runtime_api.h>
#include <cstdio>

int describe() {
  int count = 0, cores = 0, can_access = 0;
  cudaGetDeviceCount(&count);
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, device);
    std::printf("%s %d.%d, %d SMs\n", properties.name, properties.major, properties.minor,
                properties.multiProcessorCount);
    cudaDeviceGetAttribute(&cores, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceCanAccessPeer(&can_access, device, 0);
    if (can_access) cudaDeviceEnablePeerAccess(0, 0);
  }
  cudaSetDevice(0);
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20);
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  cudaDeviceSynchronize();
  return cudaDeviceReset();
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hip/hip_runtime_api.h>
#include <cstdio>

int describe() {
  int count = 0, cores = 0, can_access = 0;
  hipGetDeviceCount(&count);
  for (int device = 0; device < count; ++device) {
    hipDeviceProp_t properties;
    hipGetDeviceProperties(&properties, device);
    std::printf("%s %d.%d, %d SMs\n", properties.name, properties.major, properties.minor,
                properties.multiProcessorCount);
    hipDeviceGetAttribute(&cores, hipDeviceAttributeMultiprocessorCount, device);
    hipDeviceCanAccessPeer(&can_access, device, 0);
    if (can_access) hipDeviceEnablePeerAccess(0, 0);
  }
  hipSetDevice(0);
  hipDeviceSetLimit(hipLimitMallocHeapSize, 1 << 20);
  int driver = 0, runtime = 0;
  hipDriverGetVersion(&driver);
  hipRuntimeGetVersion(&runtime);
  hipDeviceSynchronize();
  return hipDeviceReset();
}
