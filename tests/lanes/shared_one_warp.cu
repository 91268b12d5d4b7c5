// One array of 32 for one warp's lanes.
// kind: SHARED_SIZE
// run: staged<<<2, 64>>>(in: int[128] = i, out: int[128])
// gives: out = list(range(128))
// at 64: out of bounds
// ---- original
__global__ void staged(const int* in, int* out) {
  __shared__ int stage[32];
  int lane = threadIdx.x % warpSize, base = blockIdx.x * blockDim.x;
  for (int w = 0; w < blockDim.x / warpSize; ++w) {
    if (threadIdx.x / warpSize == w) stage[lane] = in[base + threadIdx.x];
    __syncthreads();
    if (threadIdx.x / warpSize == w) out[base + threadIdx.x] = stage[lane];
    __syncthreads();
  }
}
// ---- fixed
__global__ void staged(const int* in, int* out) {
  __shared__ int stage[64];
  int lane = threadIdx.x % warpSize, base = blockIdx.x * blockDim.x;
  for (int w = 0; w < blockDim.x / warpSize; ++w) {
    if (threadIdx.x / warpSize == w) stage[lane] = in[base + threadIdx.x];
    __syncthreads();
    if (threadIdx.x / warpSize == w) out[base + threadIdx.x] = stage[lane];
    __syncthreads();
  }
}
