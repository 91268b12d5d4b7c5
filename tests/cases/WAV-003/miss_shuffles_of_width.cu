__global__ void logical(float *x) {
  float v = x[threadIdx.x];
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(~0ull, v, o, 32);
  if (threadIdx.x % 32 == 0) x[threadIdx.x / 32] = v;
}
__global__ void hardware(float *x) {
  const int lane = threadIdx.x % warpSize;
  x[lane] = __shfl_down_sync(~0ull, x[lane], 1, warpSize) + __shfl_xor_sync(~0ull, x[lane], 1, 16);
}
__global__ void sizes(float *x, int n) { if (n >= 64) x[0] = __shfl_down_sync(~0ull, x[1], 1); }
__global__ void known(float *x) { if (blockDim.x >= 64 && warpSize == blockDim.y) x[0] = __shfl_down_sync(~0ull, x[1], 1); }
# output
