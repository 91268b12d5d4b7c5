#include "check.h"
__global__ void add(int *p, int n, int what) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += what;
}
__global__ void twice(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2;
}
static void called(void *data) { ++*(int *)data; }
static void called_back(hipStream_t, hipError_t error, void *data) { *(int *)data += error == hipSuccess ? 10 : 1000; }

int main() {
  const int n = 1000;
  int *p, host[n], calls = 0;
  hipStream_t a, b;
  hipEvent_t start, stop;
  float ms;
  FINE(hipMalloc(&p, sizeof host));
  FINE(hipMemset(p, 0, sizeof host));
  FINE(hipStreamCreate(&a));
  FINE(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
  FINE(hipEventCreate(&start));
  FINE(hipEventCreate(&stop));
  GIVES(hipErrorInvalidHandle, hipEventElapsedTime(&ms, start, stop));
  FINE(hipEventRecord(start, a));
  add<<<4, 256, 0, a>>>(p, n, 3);
  FINE(hipEventRecord(stop, a));
  FINE(hipStreamWaitEvent(b, stop, 0));
  twice<<<4, 256, 0, b>>>(p, n);
  FINE(hipLaunchHostFunc(b, called, &calls));
  FINE(hipStreamAddCallback(b, called_back, &calls, 0));
  FINE(hipMemcpyAsync(host, p, sizeof host, hipMemcpyDeviceToHost, b));
  FINE(hipStreamSynchronize(b));
  FINE(hipEventSynchronize(stop));
  FINE(hipEventElapsedTime(&ms, start, stop));
  CHECK(host[0] == 6 && host[n - 1] == 6 && calls == 11 && ms >= 0);
  // A captured graph does nothing until it is launched; two streams take part in it.
  hipGraph_t graph;
  hipGraphExec_t run;
  hipEvent_t fork, join;
  FINE(hipEventCreateWithFlags(&fork, hipEventDisableTiming));
  FINE(hipEventCreateWithFlags(&join, hipEventDisableTiming));
  FINE(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
  add<<<4, 256, 0, a>>>(p, n, 1);
  FINE(hipEventRecord(fork, a));
  FINE(hipStreamWaitEvent(b, fork, 0));
  twice<<<4, 256, 0, b>>>(p, n);
  FINE(hipEventRecord(join, b));
  FINE(hipStreamWaitEvent(a, join, 0));
  FINE(hipMemcpyAsync(host, p, sizeof host, hipMemcpyDeviceToHost, a));
  FINE(hipLaunchHostFunc(a, called, &calls));
  hipStreamCaptureStatus status;
  FINE(hipStreamIsCapturing(a, &status));
  CHECK(status == hipStreamCaptureStatusActive);
  GIVES(hipErrorStreamCaptureUnsupported, hipStreamSynchronize(a));
  FINE(hipStreamEndCapture(a, &graph));
  CHECK(host[0] == 6 && calls == 11);
  FINE(hipGraphInstantiate(&run, graph, nullptr, nullptr, 0));
  for (int i = 0; i < 3; i++) FINE(hipGraphLaunch(run, a));
  FINE(hipStreamSynchronize(a));
  CHECK(host[5] == ((6 + 1) * 2 + 1) * 2 * 2 + 2 && calls == 14);
  size_t count = 0;
  FINE(hipGraphGetNodes(graph, nullptr, &count));
  CHECK(count >= 4);
  FINE(hipGraphExecDestroy(run));
  FINE(hipGraphDestroy(graph));
  // One made by hand, its nodes added against their order.
  hipGraphNode_t second, first;
  int what = 5, number = n;
  void *arguments[] = {&p, &number, &what}, *few[] = {&p, &number};
  hipKernelNodeParams doubling = {dim3(256), nullptr, (void *)twice, dim3(4), few, 0};
  hipMemsetParams zero = {p, 4, 1, 0, 0, (size_t)n};
  FINE(hipGraphCreate(&graph, 0));
  FINE(hipGraphAddKernelNode(&second, graph, nullptr, 0, &doubling));
  hipKernelNodeParams adding = {dim3(256), nullptr, (void *)add, dim3(4), arguments, 0};
  FINE(hipGraphAddKernelNode(&first, graph, nullptr, 0, &adding));
  FINE(hipGraphAddDependencies(graph, &first, &second, 1));
  hipGraphNode_t cleared;
  FINE(hipGraphAddMemsetNode(&cleared, graph, nullptr, 0, &zero));
  FINE(hipGraphAddDependencies(graph, &cleared, &first, 1));
  what = 1000;  // arguments are taken when the node is added
  FINE(hipGraphInstantiate(&run, graph, nullptr, nullptr, 0));
  FINE(hipGraphLaunch(run, 0));
  FINE(hipMemcpy(host, p, sizeof host, hipMemcpyDeviceToHost));
  CHECK(host[0] == 10 && host[n - 1] == 10);
  FINE(hipGraphExecKernelNodeSetParams(run, first, &adding));
  FINE(hipGraphLaunch(run, 0));
  FINE(hipMemcpy(host, p, sizeof host, hipMemcpyDeviceToHost));
  CHECK(host[0] == 2000);
  // Memory that a captured stream allocates and frees is there each time that the graph runs.
  hipGraph_t allocating;
  hipGraphExec_t again;
  int *own;
  FINE(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
  FINE(hipMallocAsync(reinterpret_cast<void **>(&own), 4 << 20, a));
  FINE(hipMemsetAsync(own, 5, 4 << 20, a));
  FINE(hipMemcpyAsync(p, own, sizeof host, hipMemcpyDeviceToDevice, a));
  FINE(hipFreeAsync(own, a));
  FINE(hipStreamEndCapture(a, &allocating));
  FINE(hipGraphInstantiate(&again, allocating, nullptr, nullptr, 0));
  for (int n = 0; n < 2; n++) {
    FINE(hipMemset(p, 0, sizeof host));
    FINE(hipGraphLaunch(again, a));
    FINE(hipStreamSynchronize(a));
    FINE(hipMemcpy(host, p, sizeof host, hipMemcpyDeviceToHost));
    CHECK(host[0] == 0x05050505);
  }
  // What a graph allocates and leaves to others: it comes to the same place each time, once it has been freed.
  hipGraph_t leaving;
  hipGraphNode_t taken, set;
  hipMemAllocNodeParams wanted = {};
  wanted.poolProps.allocType = hipMemAllocationTypePinned;
  wanted.poolProps.location = {hipMemLocationTypeDevice, 0};
  wanted.bytesize = 4096;
  FINE(hipGraphCreate(&leaving, 0));
  FINE(hipGraphAddMemAllocNode(&taken, leaving, nullptr, 0, &wanted));
  hipMemsetParams sevens = {};
  sevens.dst = wanted.dptr, sevens.pitch = 4096, sevens.value = 7;
  sevens.elementSize = 4, sevens.width = 1024, sevens.height = 1;
  FINE(hipGraphAddMemsetNode(&set, leaving, &taken, 1, &sevens));
  FINE(hipGraphInstantiate(&again, leaving, nullptr, nullptr, 0));
  for (int n = 0; n < 2; n++) {
    FINE(hipGraphLaunch(again, a));
    CHECK(hipGraphLaunch(again, a) == hipErrorInvalidValue);  // still there
    FINE(hipMemcpy(host, wanted.dptr, 4, hipMemcpyDeviceToHost));
    CHECK(host[0] == 7);
    FINE(hipFreeAsync(wanted.dptr, a));
  }
  CHECK(hipFree(wanted.dptr) == hipErrorInvalidValue);
  FINE(hipGraphInstantiateWithFlags(&again, leaving, hipGraphInstantiateFlagAutoFreeOnLaunch));
  for (int n = 0; n < 2; n++) FINE(hipGraphLaunch(again, a));
  FINE(hipFree(wanted.dptr));
  hipGraphNode_t given_back;
  FINE(hipGraphAddMemFreeNode(&given_back, leaving, &set, 1, wanted.dptr));
  CHECK(hipGraphAddMemFreeNode(&given_back, leaving, &set, 1, p) == hipErrorInvalidValue);
  FINE(hipGraphInstantiate(&again, leaving, nullptr, nullptr, 0));
  for (int n = 0; n < 2; n++) FINE(hipGraphLaunch(again, a));
  FINE(hipStreamDestroy(a));
  FINE(hipStreamDestroy(b));
  puts("streams: fine");
}
