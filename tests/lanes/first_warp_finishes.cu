// The first 32 threads add up what the waves left; with waves of 64 the other half of the wave is not there to shuffle.
// kind: LANE_ARITHMETIC
// run: block_sum<<<1, 256>>>(in: int[256] = 1, out: int[1])
// gives: out = [256]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
__global__ void block_sum(const int* in, int* out) {
  __shared__ int sums[32];
  int v = in[threadIdx.x], lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int d = warpSize / 2; d > 0; d /= 2) v += SHFL_DOWN(v, d);
  if (lane == 0) sums[warp] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
    for (int d = 16; d > 0; d /= 2) v += SHFL_DOWN(v, d);
    if (threadIdx.x == 0) out[0] = v;
  }
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
__global__ void block_sum(const int* in, int* out) {
  __shared__ int sums[32];
  int v = in[threadIdx.x], lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  for (int d = warpSize / 2; d > 0; d /= 2) v += SHFL_DOWN(v, d);
  if (lane == 0) sums[warp] = v;
  __syncthreads();
  if (threadIdx.x < warpSize) {
    v = threadIdx.x < blockDim.x / warpSize ? sums[threadIdx.x] : 0;
    for (int d = warpSize / 2; d > 0; d /= 2) v += SHFL_DOWN(v, d);
    if (threadIdx.x == 0) out[0] = v;
  }
}
