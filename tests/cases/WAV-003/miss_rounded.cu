__global__ void rounded(float *x, int n) { int words = (n + 31) / 32; x[words] = __shfl_down(x[0], 1); }
__global__ void fives(float *x) { int warp = threadIdx.x / warpSize; x[warp * 5] = __shfl_down(x[0], 1); }
__global__ void bits(float *x, int n) { x[31 - __clz(n)] = __shfl_down(x[n & ~31], 1); }
__global__ void plain(float *x) { if (threadIdx.x == 31) x[0] = 1; x[threadIdx.x & ~31] = warpSize; }
# output
