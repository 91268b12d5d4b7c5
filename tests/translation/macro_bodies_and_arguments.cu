#include <cuda_runtime.h>

#define ALLOCATE(pointer, count) cudaMalloc((void**)&(pointer), (count) * sizeof(*(pointer)))
#define ON_GPU __device__ __forceinline__
#define TRY(call) do { if ((call) != cudaSuccess) return cudaGetLastError(); } while (0)
#define ASYNC_COPY(...) \
  cudaMemcpyAsync(__VA_ARGS__, \
                  cudaMemcpyDefault, 0)
#define STREAM_TYPE cudaStream_t

ON_GPU int twice(int x) { return 2 * x; }

cudaError_t run(float* in, STREAM_TYPE stream) {
  float* out;
  TRY(ALLOCATE(out, 16));
  TRY(cudaMemsetAsync(out, 0, 16, stream));
  TRY(ASYNC_COPY(out, in, 16));
  return cudaSuccess;
}
// ---- HIP ----
#include <hip/hip_runtime.h>

#define ALLOCATE(pointer, count) hipMalloc((void**)&(pointer), (count) * sizeof(*(pointer)))
#define ON_GPU __device__ __forceinline__
#define TRY(call) do { if ((call) != hipSuccess) return hipGetLastError(); } while (0)
#define ASYNC_COPY(...) \
  hipMemcpyAsync(__VA_ARGS__, \
                  hipMemcpyDefault, 0)
#define STREAM_TYPE hipStream_t

ON_GPU int twice(int x) { return 2 * x; }

hipError_t run(float* in, STREAM_TYPE stream) {
  float* out;
  TRY(ALLOCATE(out, 16));
  TRY(hipMemsetAsync(out, 0, 16, stream));
  TRY(ASYNC_COPY(out, in, 16));
  return hipSuccess;
}
