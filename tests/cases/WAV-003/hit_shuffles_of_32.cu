__global__ void mixed(float *x) {
  const int lane = threadIdx.x % warpSize;
  float v = x[threadIdx.x];
  for (int o = warpSize / 2; o > 0; o /= 2) v += __shfl_down_sync(~0ull, v, o, 32);
  if (lane == 0) x[threadIdx.x / warpSize] = v;
}
__global__ void beside(int *x) { x[0] = __popcll(__ballot_sync(~0ull, x[1])) + __shfl_sync(~0ull, x[2], 0, 32); }
__global__ void two(float *x, float v) {
  if (blockDim.x >= 64) v += x[threadIdx.x];
  x[0] = __shfl_down_sync(~0ull, v, 1);
}
# output
4 wrong-result: 32
7 info: 32
9 info: blockDim.x >= 64
