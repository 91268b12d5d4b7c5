__global__ void sums(float *x) {
  __shared__ float s[64];
  int tid = threadIdx.x;
  for (int i = 16; i > 0; i >>= 1) { if (tid < i) s[tid] += s[tid + i]; __syncthreads(); }
  x[0] = s[0] + warpSize;
}
__global__ void all(float *x) {
  __shared__ float s[512];
  for (int k = blockDim.x / 2; k > 0; k >>= 1) { if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; __syncthreads(); }
  x[0] = s[0] + warpSize;
}
__global__ void own(float *x, float *y) { for (int i = 16; i > 0; i >>= 1) x[threadIdx.x] += y[threadIdx.x + i] * warpSize; }
# output
