// Managed memory, pinned memory that the GPU reads and writes, a list of nodes built on the host and walked there.
#include "common.h"

struct Node {
    int value;
    Node *next;
};

__managed__ int managed_total = 5;

__global__ void walk(const Node *first, int *sum) {
    int total = 0;
    for (const Node *node = first; node; node = node->next) total = total * 3 + node->value;
    *sum = total;
    managed_total += total;
}

__global__ void mirror(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[n - 1 - i] = in[i] * 2.0f + managed_total;
}

int main() {
    const int nodes = 20, n = 1000;
    Node *list;
    int *sum;
    CHECK(cudaMallocManaged(&list, nodes * sizeof(Node)));
    CHECK(cudaMallocManaged(&sum, sizeof(int)));
    for (int i = 0; i < nodes; ++i) list[i] = {i * i % 17, i + 1 < nodes ? &list[i + 1] : nullptr};
    walk<<<1, 1>>>(list, sum);
    CHECK_KERNEL();
    show("sum", *sum);
    show("managed", managed_total);
    managed_total = 7;
    float *in, *out, *out_device;
    CHECK(cudaMallocHost(&in, n * sizeof(float)));
    CHECK(cudaHostAlloc(&out, n * sizeof(float), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&out_device, out, 0));
    for (int i = 0; i < n; ++i) in[i] = i * 0.25f;
    mirror<<<(n + 127) / 128, 128>>>(in, out_device, n);
    CHECK_KERNEL();
    show("mapped", out, n);
    std::vector<float> own(n, 3.0f);
    CHECK(cudaHostRegister(own.data(), n * sizeof(float), cudaHostRegisterDefault));
    float *device = device_zeros<float>(n);
    CHECK(cudaMemcpyAsync(device, own.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    mirror<<<(n + 127) / 128, 128>>>(device, out_device, n);
    CHECK_KERNEL();
    show("registered", out, n);
    CHECK(cudaHostUnregister(own.data()));
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
    CHECK(cudaFree(list));
    CHECK(cudaFree(sum));
    return 0;
}
