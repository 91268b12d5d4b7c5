// One slot per wave, read by every lane of the first one: 256 / 64 slots are fewer than 64 lanes.
// kind: SHARED_SIZE
// run: block_sum<<<1, 1024>>>(in: int[1024] = 1, out: int[1])
// gives: out = [1024]
// at 64: out of bounds
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
#if defined(__HIP_PLATFORM_AMD__)
#define WARPS (1024 / __AMDGCN_WAVEFRONT_SIZE)
#else
#define WARPS (1024 / 32)
#endif
__global__ void block_sum(const int* in, int* out) {
  __shared__ int sums[WARPS];
  int v = in[threadIdx.x];
  for (int d = warpSize / 2; d > 0; d /= 2) v += SHFL_DOWN(v, d);
  if (threadIdx.x % warpSize == 0) sums[threadIdx.x / warpSize] = v;
  __syncthreads();
  if (threadIdx.x < warpSize) {
    v = sums[threadIdx.x];
    for (int d = warpSize / 2; d > 0; d /= 2) v += SHFL_DOWN(v, d);
    if (threadIdx.x == 0) out[0] = v;
  }
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
#if defined(__HIP_PLATFORM_AMD__)
#define WARPS (1024 / __AMDGCN_WAVEFRONT_SIZE)
#else
#define WARPS (1024 / 32)
#endif
__global__ void block_sum(const int* in, int* out) {
  __shared__ int sums[WARPS];
  int v = in[threadIdx.x];
  for (int d = warpSize / 2; d > 0; d /= 2) v += SHFL_DOWN(v, d);
  if (threadIdx.x % warpSize == 0) sums[threadIdx.x / warpSize] = v;
  __syncthreads();
  if (threadIdx.x < warpSize) {
    v = threadIdx.x < WARPS ? sums[threadIdx.x] : 0;
    for (int d = warpSize / 2; d > 0; d /= 2) v += SHFL_DOWN(v, d);
    if (threadIdx.x == 0) out[0] = v;
  }
}
