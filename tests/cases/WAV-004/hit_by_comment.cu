constexpr int kThreads = 32;  // one full warp
__global__ void quantize(float *x) { x[0] = __shfl_down_sync(~0ull, x[kThreads], 1); }
# output
1 info: kThreads = 32
