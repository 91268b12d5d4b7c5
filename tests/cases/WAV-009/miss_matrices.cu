#define WMMA_M 16
#define WMMA_K 32
__global__ void a(float *x) { x[threadIdx.x] = WMMA_K / 32; }
int tiles(int m) { return m / WMMA_M; }
__global__ void b(float *x) { const int k = WMMA_M * 16; x[k] = 0; }
__global__ void c(int *x) { auto active = cooperative_groups::coalesced_threads(); if (active.thread_rank() == 0) x[0] = active.size(); }
# output
6 info: coalesced_threads()
