// As many slots as warps of 32; waves of 64 fill half of them, and the rest is garbage.
// kind: SHARED_SIZE
// run: block_sum<<<1, 128>>>(in: int[128] = 1, out: int[1])
// gives: out = [128]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
__global__ void block_sum(const int* in, int* out) {
  __shared__ int sums[128 / 32];
  int v = in[threadIdx.x];
  for (int d = warpSize / 2; d > 0; d /= 2) v += SHFL_DOWN(v, d);
  if (threadIdx.x % warpSize == 0) sums[threadIdx.x / warpSize] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int w = 0; w < 128 / 32; ++w) sum += sums[w];
    out[0] = sum;
  }
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
__global__ void block_sum(const int* in, int* out) {
  __shared__ int sums[128 / 32];
  int v = in[threadIdx.x];
  for (int d = warpSize / 2; d > 0; d /= 2) v += SHFL_DOWN(v, d);
  if (threadIdx.x % warpSize == 0) sums[threadIdx.x / warpSize] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int w = 0; w < 128 / warpSize; ++w) sum += sums[w];
    out[0] = sum;
  }
}
