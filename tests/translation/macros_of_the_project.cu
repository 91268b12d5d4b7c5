#include <cuda_runtime.h>

// Names of the project's own, though they look like CUDA's.
#define cudaSafeCall(call) checked(call, __LINE__)
#define CUDA_CALL cudaSafeCall
#define CUDNN_MIN_VERSION_HINT 8

inline void checked(cudaError_t error, int line) {}
void cudaFreeIfNotNull(void* pointer);
struct cudaTimer { cudaEvent_t start, stop; };
static int cuBlockCount = 3;

void clear(void* pointer) {
  cudaTimer timer;
  cudaSafeCall(cudaEventCreate(&timer.start));
  CUDA_CALL(cudaFree(pointer));
  cudaFreeIfNotNull(pointer);
  int custom = cuBlockCount, current_cuda_device = 0, mycudaMalloc = 0;
}
// ---- HIP ----
#include <hip/hip_runtime.h>

// Names of the project's own, though they look like CUDA's.
#define cudaSafeCall(call) checked(call, __LINE__)
#define CUDA_CALL cudaSafeCall
#define CUDNN_MIN_VERSION_HINT 8

inline void checked(hipError_t error, int line) {}
void cudaFreeIfNotNull(void* pointer);
struct cudaTimer { hipEvent_t start, stop; };
static int cuBlockCount = 3;

void clear(void* pointer) {
  cudaTimer timer;
  cudaSafeCall(hipEventCreate(&timer.start));
  CUDA_CALL(hipFree(pointer));
  cudaFreeIfNotNull(pointer);
  int custom = cuBlockCount, current_cuda_device = 0, mycudaMalloc = 0;
}
