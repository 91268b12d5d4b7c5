__device__ int below(unsigned long long set, int lane) { return __popcll(set & ((1ull << lane) - 1)); }
__device__ int of_data(unsigned word) { return __popc(word); }
__global__ void ranks(int *x) { int lane = threadIdx.x % warpSize; x[0] = below(__ballot(x[1]), lane) + of_data(x[2]); }
__global__ void count(int *x, int *total) { atomicAdd(total, __popcll(__ballot(x[0]))); }
# output
