__global__ void rounded(float *x) { int warps = (blockDim.x + 31) / 32; x[warps] = __shfl_down(x[0], 1); }
__global__ void squares(float *x) { x[(blockDim.x * blockDim.y) >> 5] = __shfl_down(x[0], 1); }
__global__ void mirrored(float *x) { int lane = threadIdx.x % warpSize; x[31 - lane] = __shfl_down(x[0], 1); }
__global__ void shifted(float *x) { int wid = threadIdx.x / warpSize; x[wid << 5] = __shfl_down(x[0], 1); }
__global__ void base(float *x) { x[threadIdx.x & ~31] = __shfl_down(x[threadIdx.x & 0xffffffe0], 1); }
__global__ void last(float *x) { if (threadIdx.x == 31) x[0] = __shfl_down(x[0], 1); }
# output
1 wrong-result: (blockDim.x + 31) / 32
2 wrong-result: (blockDim.x * blockDim.y) >> 5
3 wrong-result: 31 - lane
4 wrong-result: << 5
5 wrong-result: threadIdx.x & ~31
6 wrong-result: threadIdx.x == 31
