#include <ATen/cuda/CUDAContext.h>

void ask(cudaStream_t stream) {
  cudaStreamCaptureStatus status;
  unsigned long long id;
  cudaGraph_t graph;
  cudaStreamGetCaptureInfo(stream, &status, &id, &graph);
  cudaEvent_t event;
  cudaEventCreate(&event, cudaEventDisableTiming);
}
# output
7 build-fail: cudaStreamGetCaptureInfo
9 build-fail: cudaEventCreate
