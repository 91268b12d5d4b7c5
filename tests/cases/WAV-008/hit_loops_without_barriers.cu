__global__ void sums(float *x) {
  __shared__ volatile float s[64];
  int tid = threadIdx.x;
  if (tid < 32) for (int i = 16; i > 0; i >>= 1) s[tid] += s[tid + i];
  x[0] = s[0] + warpSize;
}
__global__ void up(float *x) {
  __shared__ float s[64];
  for (int i = 1; i < 32; i *= 2) { if (threadIdx.x % (2 * i) == 0) s[threadIdx.x] += s[threadIdx.x + i]; }
  x[0] = s[0];
}
__global__ void tail(float *x) {
  __shared__ volatile float s[512];
  int tid = threadIdx.x;
  for (int k = blockDim.x / 2; k > 32; k >>= 1) { if (tid < k) s[tid] += s[tid + k]; __syncthreads(); }
  if (tid < 32) { s[tid] += s[tid + 32]; s[tid] += s[tid + 16]; }
}
# output
4 wrong-result: for (int i = 16; i > 0; i >>= 1)
9 wrong-result: for (int i = 1; i < 32; i *= 2)
15 info: for (int k = blockDim.x / 2; k > 32; k >>= 1)
16 info: s[tid] += s[tid + 32]
