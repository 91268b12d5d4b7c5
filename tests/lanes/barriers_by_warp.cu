// Each warp meets the block at a barrier of its own; in one wave of 64 they are two barriers.
// kind: IMPLICIT_SYNC
// run: exchanged<<<1, 64>>>(out: int[64])
// gives: out = [2] * 32 + [1] * 32
// at 64: divergent
// ---- original
__global__ void exchanged(int* out) {
  __shared__ int s[2];
  if (threadIdx.x < 32) {
    s[0] = 1;
    __syncthreads();
    out[threadIdx.x] = s[1];
  } else {
    s[1] = 2;
    __syncthreads();
    out[threadIdx.x] = s[0];
  }
}
// ---- fixed
__global__ void exchanged(int* out) {
  __shared__ int s[2];
  const int half = threadIdx.x < 32 ? 0 : 1;
  s[half] = half + 1;
  __syncthreads();
  out[threadIdx.x] = s[1 - half];
}
