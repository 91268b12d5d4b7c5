// A full mask of 32 bits in a reduction.
// kind: MASK_32
// run: block_sum<<<2, 128>>>(in: int[256] = i, out: int[2])
// gives: out = [sum(range(128)), sum(range(128, 256))]
// at 64: compile error
// ---- original
__global__ void block_sum(const int* in, int* out) {
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x % warpSize == 0) atomicAdd(&out[blockIdx.x], v);
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define FULL_MASK 0xffffffffffffffffull
#else
#define FULL_MASK 0xffffffff
#endif
__global__ void block_sum(const int* in, int* out) {
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down_sync(FULL_MASK, v, d);
  if (threadIdx.x % warpSize == 0) atomicAdd(&out[blockIdx.x], v);
}
