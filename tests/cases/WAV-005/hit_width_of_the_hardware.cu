__device__ float largest(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v = fmaxf(v, __shfl_xor_sync(~0ull, v, offset, WARP_SIZE));
  return v;
}
__global__ void rows(const float *x, float *y) {
  float sum = x[threadIdx.x * WARP_SIZE];
  for (int mask = 16; mask > 0; mask >>= 1) sum += __shfl_xor_sync(~0ull, sum, mask, 32);
  y[blockIdx.x] = sum;
}
__global__ void lanes_of_lanes(float *smem) {
  int lane = threadIdx.x % 32;
  float v = 0;
  for (int i = 0; i < 32; ++i) v += smem[lane * 32 + i];
  __syncwarp();
  smem[lane] = v;
}
# output
2 wrong-result: for (int offset = 16; offset > 0; offset >>= 1)
7 info: for (int mask = 16; mask > 0; mask >>= 1)
13 wrong-result: for (int i = 0; i < 32; ++i)
