// compile: gfx1100, CDNA GPUs have no texture units
#include <cuda_runtime.h>

__global__ void fill(cudaSurfaceObject_t surface, float value) {
  surf2Dwrite(value, surface, threadIdx.x * sizeof(float), blockIdx.x);
}

cudaSurfaceObject_t open(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  cudaCreateSurfaceObject(&surface, &resource);
  return surface;
}
// ---- HIP ----
#include <hip/hip_runtime.h>

__global__ void fill(hipSurfaceObject_t surface, float value) {
  surf2Dwrite(value, surface, threadIdx.x * sizeof(float), blockIdx.x);
}

hipSurfaceObject_t open(hipArray_t array) {
  hipResourceDesc resource = {};
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  hipSurfaceObject_t surface = 0;
  hipCreateSurfaceObject(&surface, &resource);
  return surface;
}
// ---- findings ----
// 4 unsupported surf2Dwrite
