// A graph captured from a stream, instantiated once and launched many times; and one built node by node.
#include "common.h"

__global__ void scale(int *data, int n, int factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = data[i] * factor + 1;
}

__global__ void add(const int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] += a[i];
}

int main() {
    int n = 2000, factor = 3;
    std::vector<int> start = random_ints(n, 100, 571), result(n);
    int *a = to_device(start), *b = device_zeros<int>(n);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    scale<<<(n + 127) / 128, 128, 0, stream>>>(a, n, factor);
    add<<<(n + 127) / 128, 128, 0, stream>>>(a, b, n);
    CHECK(cudaMemcpyAsync(result.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    show("nodes", nodes);
    show("untouched", to_host(b, 16));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    for (int i = 0; i < 5; ++i) CHECK(cudaGraphLaunch(ready, stream));
    CHECK(cudaStreamSynchronize(stream));
    show("result", result);

    cudaGraph_t built;
    cudaGraphNode_t first, second, cleared;
    CHECK(cudaGraphCreate(&built, 0));
    cudaMemsetParams clear = {};
    clear.dst = b;
    clear.elementSize = 4;
    clear.value = 9;
    clear.width = n;
    clear.height = 1;
    CHECK(cudaGraphAddMemsetNode(&cleared, built, nullptr, 0, &clear));
    void *scale_arguments[] = {&a, &n, &factor}, *add_arguments[] = {&a, &b, &n};
    cudaKernelNodeParams node = {};
    node.func = (void *)scale;
    node.gridDim = dim3((n + 127) / 128);
    node.blockDim = dim3(128);
    node.kernelParams = scale_arguments;
    CHECK(cudaGraphAddKernelNode(&first, built, nullptr, 0, &node));
    node.func = (void *)add;
    node.kernelParams = add_arguments;
    cudaGraphNode_t before[] = {first, cleared};
    CHECK(cudaGraphAddKernelNode(&second, built, before, 2, &node));
    cudaGraphExec_t built_ready;
    CHECK(cudaGraphInstantiate(&built_ready, built, 0));
    CHECK(cudaGraphLaunch(built_ready, stream));
    CHECK(cudaStreamSynchronize(stream));
    show("built", to_host(b, n));
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphExecDestroy(built_ready));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(built));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
