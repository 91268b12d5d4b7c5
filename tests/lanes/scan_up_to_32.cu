// A scan that stops at 32 restarts in the middle of the wave.
// kind: LOOP
// run: scan<<<1, 64>>>(in: int[64] = 1, out: int[64])
// gives: out = list(range(1, 65))
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_UP(V, D) __shfl_up(V, D)
#else
#define SHFL_UP(V, D) __shfl_up_sync(0xffffffff, V, D)
#endif
__global__ void scan(const int* in, int* out) {
  __shared__ int sums[32];
  int v = in[threadIdx.x], lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  for (int d = 1; d < 32; d *= 2) {
    int below = SHFL_UP(v, d);
    if (lane >= d) v += below;
  }
  if (lane == warpSize - 1) sums[warp] = v;
  __syncthreads();
  for (int w = 0; w < warp; ++w) v += sums[w];
  out[threadIdx.x] = v;
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_UP(V, D) __shfl_up(V, D)
#else
#define SHFL_UP(V, D) __shfl_up_sync(0xffffffff, V, D)
#endif
__global__ void scan(const int* in, int* out) {
  __shared__ int sums[32];
  int v = in[threadIdx.x], lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  for (int d = 1; d < warpSize; d *= 2) {
    int below = SHFL_UP(v, d);
    if (lane >= d) v += below;
  }
  if (lane == warpSize - 1) sums[warp] = v;
  __syncthreads();
  for (int w = 0; w < warp; ++w) v += sums[w];
  out[threadIdx.x] = v;
}
