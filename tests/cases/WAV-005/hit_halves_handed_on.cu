#define WARP_SIZE 32
#define SHFL_XOR_SYNC(var, mask) __shfl_xor(var, mask)
#define SHFL_SYNC(var, lane) __shfl(var, lane)

// Each warp of 32 puts its sum into a table, all read it, and the first lane hands on what both halves have: as many as warps.
template <int NUM_WARPS>
__device__ float block_sum(float *smem, float sum) {
  int warp = threadIdx.x >> 5;
  int lane = threadIdx.x & 0x1f;
  for (int mask = WARP_SIZE >> 1; mask > 0; mask >>= 1) sum += SHFL_XOR_SYNC(sum, mask);
  if (lane == 0) smem[warp] = sum;
  __syncthreads();
  if (lane < NUM_WARPS) {
    sum = smem[lane];
  }
  for (int mask = NUM_WARPS >> 1; mask > 0; mask >>= 1) sum += SHFL_XOR_SYNC(sum, mask);
  return SHFL_SYNC(sum, 0);
}

// Nothing is the same in both halves here.
__device__ float first(float *x, float sum) {
  int lane = threadIdx.x & 0x1f;
  __syncthreads();
  sum = x[threadIdx.x];
  for (int mask = 16; mask > 0; mask >>= 1) sum += SHFL_XOR_SYNC(sum, mask);
  if (lane == 0) x[0] = sum;
  return SHFL_SYNC(sum, 0);
}
# output
10 info: for (int mask = WARP_SIZE >> 1; mask > 0; mask >>= 1)
25 wrong-result: for (int mask = 16; mask > 0; mask >>= 1)
