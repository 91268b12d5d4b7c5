#include <cuda_runtime.h>

__global__ void step(float* x) { x[threadIdx.x] += 1.0f; }

void replay(float* x, cudaStream_t stream, int times) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  step<<<1, 64, 0, stream>>>(x);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0);
  for (int i = 0; i < times; ++i) cudaGraphLaunch(executable, stream);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

void by_hand(float* x, cudaGraph_t graph, cudaGraphExec_t* executable) {
  cudaGraphNode_t node;
  void* arguments[] = {&x};
  cudaKernelNodeParams parameters = {};
  parameters.func = (void*)step;
  parameters.gridDim = dim3(1);
  parameters.blockDim = dim3(64);
  parameters.kernelParams = arguments;
  cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters);
  cudaGraphInstantiate(executable, graph, 0);
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(nullptr, &status);
  if (status == cudaStreamCaptureStatusActive) return;
}
// ---- HIP ----
#include <hip/hip_runtime.h>

__global__ void step(float* x) { x[threadIdx.x] += 1.0f; }

void replay(float* x, hipStream_t stream, int times) {
  hipGraph_t graph;
  hipGraphExec_t executable;
  hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal);
  step<<<1, 64, 0, stream>>>(x);
  hipStreamEndCapture(stream, &graph);
  hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0);
  for (int i = 0; i < times; ++i) hipGraphLaunch(executable, stream);
  hipGraphExecDestroy(executable);
  hipGraphDestroy(graph);
}

void by_hand(float* x, hipGraph_t graph, hipGraphExec_t* executable) {
  hipGraphNode_t node;
  void* arguments[] = {&x};
  hipKernelNodeParams parameters = {};
  parameters.func = (void*)step;
  parameters.gridDim = dim3(1);
  parameters.blockDim = dim3(64);
  parameters.kernelParams = arguments;
  hipGraphAddKernelNode(&node, graph, nullptr, 0, &parameters);
  hipGraphInstantiateWithFlags(executable, graph, 0);
  hipStreamCaptureStatus status;
  hipStreamIsCapturing(nullptr, &status);
  if (status == hipStreamCaptureStatusActive) return;
}
