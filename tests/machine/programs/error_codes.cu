// Mistakes that the runtime answers with an error, not with a crash, and that leave it usable.
#include "common.h"
#include <cstring>

__global__ void store(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 7; }

int main() {
    int *data = device_zeros<int>(1024);
    store<<<1, 1025>>>(data);
    cudaError_t status = cudaGetLastError();
    show("too_many_threads", (int)(status == cudaErrorInvalidConfiguration || status == cudaErrorInvalidValue));
    show("then_clear", (int)cudaGetLastError());
    store<<<0, 64>>>(data);
    show("no_blocks_is_an_error", (int)(cudaGetLastError() != cudaSuccess));
    store<<<1, 64, 1 << 20>>>(data);
    show("too_much_shared_memory_is_an_error", (int)(cudaGetLastError() != cudaSuccess));
    void *huge = nullptr;
    show("too_much_memory", (int)(cudaMalloc(&huge, (size_t)1 << 50) == cudaErrorMemoryAllocation));
    cudaGetLastError();
    show("bad_device", (int)(cudaSetDevice(4096) == cudaErrorInvalidDevice));
    cudaGetLastError();
    show("bad_direction", (int)(cudaMemcpy(data, data, 4, (cudaMemcpyKind)77) == cudaErrorInvalidMemcpyDirection));
    cudaGetLastError();
    show("free_of_nothing", (int)cudaFree(nullptr));
    cudaEvent_t event;
    CHECK(cudaEventCreate(&event));
    float time;
    show("event_not_recorded_is_an_error", (int)(cudaEventElapsedTime(&time, event, event) != cudaSuccess));
    cudaGetLastError();
    show("peek_keeps", (int)(store<<<1, 2048>>>(data), cudaPeekAtLastError() == cudaPeekAtLastError() && cudaPeekAtLastError() != cudaSuccess));
    cudaGetLastError();
    show("name_of_success_has_text", (int)(strlen(cudaGetErrorString(cudaSuccess)) > 0));
    store<<<4, 256>>>(data);
    CHECK_KERNEL();
    show("works_on", to_host(data, 1024));
    return 0;
}
