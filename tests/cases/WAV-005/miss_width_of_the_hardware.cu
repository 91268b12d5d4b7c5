__device__ float largest(float v) {
  for (int offset = WARP_SIZE / 2; offset > 0; offset >>= 1) v = fmaxf(v, __shfl_xor_sync(~0ull, v, offset, WARP_SIZE));
  return v;
}
__global__ void narrow(const float *x, float *y) {
  float sum = x[threadIdx.x];
  for (int mask = 16; mask > 0; mask >>= 1) sum += __shfl_xor_sync(~0ull, sum, mask, 32);
  y[blockIdx.x] = sum;
}
__global__ void columns(float *smem, int group) {
  float v = 0;
  for (int i = 0; i < 32; ++i) v += smem[group * 32 + i];
  __syncthreads();
  smem[group] = __shfl_down_sync(~0ull, v, 1);
}
# output
