// Every width is the hardware's.
// kind: none
// run: total<<<2, 192>>>(in: int[384] = i, out: int[2])
// gives: out = [sum(range(192)), sum(range(192, 384))]
// at 64: same
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
__global__ void total(const int* in, int* out) {
  __shared__ int sums[1024 / 32];
  int v = in[blockIdx.x * blockDim.x + threadIdx.x], lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  for (int d = warpSize / 2; d > 0; d /= 2) v += SHFL_DOWN(v, d);
  if (lane == 0) sums[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < blockDim.x / warpSize ? sums[lane] : 0;
    for (int d = warpSize / 2; d > 0; d /= 2) v += SHFL_DOWN(v, d);
    if (lane == 0) out[blockIdx.x] = v;
  }
}
