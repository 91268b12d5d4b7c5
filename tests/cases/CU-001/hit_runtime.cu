#include <cuda_runtime.h>

// cudaMalloc in a comment does not count
__global__ void scale(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2.f; }

float *upload(const float *host, size_t bytes, cudaStream_t stream) {
  float *device = nullptr;
  cudaMalloc(&device, bytes);
  cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream);
  return device;
}
# output
6 build-fail: cudaStream_t
# fixed
--- hit_runtime.cu
+++ hit_runtime.hip
@@ -1,11 +1,11 @@
-#include <cuda_runtime.h>
+#include <hip/hip_runtime.h>
 
 // cudaMalloc in a comment does not count
 __global__ void scale(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2.f; }
 
-float *upload(const float *host, size_t bytes, cudaStream_t stream) {
+float *upload(const float *host, size_t bytes, hipStream_t stream) {
   float *device = nullptr;
-  cudaMalloc(&device, bytes);
-  cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream);
+  hipMalloc(&device, bytes);
+  hipMemcpyAsync(device, host, bytes, hipMemcpyHostToDevice, stream);
   return device;
 }
