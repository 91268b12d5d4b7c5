// The host gives bytes for warps of 32; the kernel asks for a slot per lane.
// kind: SHARED_SIZE
// run: launch(in: int[64] = i, out: int[64])
// gives: out = [i // 32 * 32 + (i + 1) % 32 for i in range(64)]
// at 64: out of bounds
// ---- original
__global__ void next(const int* in, int* out) {
  extern __shared__ int slots[];
  int lane = threadIdx.x % warpSize;
  for (int w = 0; w < blockDim.x / warpSize; ++w) {
    if (threadIdx.x / warpSize == w) slots[lane] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x / warpSize == w) out[threadIdx.x] = slots[(lane & ~31) + (lane + 1) % 32];
    __syncthreads();
  }
}
void launch(const int* in, int* out) { next<<<1, 64, 32 * sizeof(int)>>>(in, out); }
// ---- fixed
__global__ void next(const int* in, int* out) {
  extern __shared__ int slots[];
  int lane = threadIdx.x % warpSize;
  for (int w = 0; w < blockDim.x / warpSize; ++w) {
    if (threadIdx.x / warpSize == w) slots[lane] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x / warpSize == w) out[threadIdx.x] = slots[(lane & ~31) + (lane + 1) % 32];
    __syncthreads();
  }
}
void launch(const int* in, int* out) { next<<<1, 64, 64 * sizeof(int)>>>(in, out); }
