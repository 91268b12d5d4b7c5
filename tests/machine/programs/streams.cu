// Work in four streams that wait for one another through events, with copies between, a callback, and elapsed time.
#include "common.h"

__global__ void fill(int *data, int n, int seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = i * seed + 1;
}

__global__ void combine(const int *a, const int *b, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] * 3 - b[n - 1 - i];
}

void CUDART_CB note(void *where) { *static_cast<int *>(where) += 100; }

int main() {
    const int n = 3000, count = 4;
    cudaStream_t streams[count];
    cudaEvent_t filled[count], start, end;
    int *data[count], *out[count], *host, notes = 0;
    CHECK(cudaMallocHost(&host, count * n * sizeof(int)));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    for (int i = 0; i < count; ++i) {
        if (i % 2) CHECK(cudaStreamCreate(&streams[i]));
        else CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&filled[i], cudaEventDisableTiming));
        CHECK(cudaMallocAsync(&data[i], n * sizeof(int), streams[i]));
        CHECK(cudaMallocAsync(&out[i], n * sizeof(int), streams[i]));
    }
    CHECK(cudaEventRecord(start, streams[0]));
    for (int i = 0; i < count; ++i) {
        fill<<<(n + 127) / 128, 128, 0, streams[i]>>>(data[i], n, i + 1);
        CHECK(cudaEventRecord(filled[i], streams[i]));
    }
    for (int i = 0; i < count; ++i) {
        int other = (i + 1) % count;
        CHECK(cudaStreamWaitEvent(streams[i], filled[other], 0));
        combine<<<(n + 127) / 128, 128, 0, streams[i]>>>(data[i], data[other], out[i], n);
        CHECK(cudaMemcpyAsync(host + i * n, out[i], n * sizeof(int), cudaMemcpyDeviceToHost, streams[i]));
        CHECK(cudaLaunchHostFunc(streams[i], note, &notes));
        CHECK(cudaStreamSynchronize(streams[i]));
    }
    CHECK(cudaEventRecord(end, streams[0]));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = -1.0f;
    CHECK(cudaEventElapsedTime(&milliseconds, start, end));
    show("elapsed_is_positive", (int)(milliseconds >= 0.0f));
    show("query", (int)cudaStreamQuery(streams[0]));
    show("notes", notes);
    show("host", host, count * n);
    for (int i = 0; i < count; ++i) {
        CHECK(cudaFreeAsync(data[i], streams[i]));
        CHECK(cudaFreeAsync(out[i], streams[i]));
        CHECK(cudaStreamDestroy(streams[i]));
        CHECK(cudaEventDestroy(filled[i]));
    }
    return 0;
}
