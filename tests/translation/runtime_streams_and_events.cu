#include <cuda_runtime.h>

__global__ void work(int* out);
static void CUDART_CB done(cudaStream_t stream, cudaError_t status, void* data) {}

float timed(int* out) {
  cudaStream_t stream;
  cudaEvent_t start, stop;
  int least, greatest;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest);
  cudaEventCreate(&start);
  cudaEventCreateWithFlags(&stop, cudaEventBlockingSync | cudaEventDisableTiming);
  cudaEventRecord(start, stream);
  work<<<1, 64, 0, stream>>>(out);
  cudaEventRecord(stop, stream);
  cudaStreamWaitEvent(stream, stop, 0);
  cudaStreamAddCallback(stream, done, nullptr, 0);
  while (cudaEventQuery(stop) == cudaErrorNotReady) {
  }
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, start, stop);
  cudaEventDestroy(start);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  return milliseconds;
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_runtime.h>

__global__ void work(int* out);
static void CUDART_CB done(hipStream_t stream, hipError_t status, void* data) {}

float timed(int* out) {
  hipStream_t stream;
  hipEvent_t start, stop;
  int least, greatest;
  hipDeviceGetStreamPriorityRange(&least, &greatest);
  hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, greatest);
  hipEventCreate(&start);
  hipEventCreateWithFlags(&stop, hipEventBlockingSync | hipEventDisableTiming);
  hipEventRecord(start, stream);
  work<<<1, 64, 0, stream>>>(out);
  hipEventRecord(stop, stream);
  hipStreamWaitEvent(stream, stop, 0);
  hipStreamAddCallback(stream, done, nullptr, 0);
  while (hipEventQuery(stop) == hipErrorNotReady) {
  }
  float milliseconds = 0;
  hipEventElapsedTime(&milliseconds, start, stop);
  hipEventDestroy(start);
  hipStreamSynchronize(stream);
  hipStreamDestroy(stream);
  return milliseconds;
}
