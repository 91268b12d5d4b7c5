// Barriers down to the width of a wave, then a tail that starts at 32.
// kind: VOLATILE_TAIL
// run: total<<<1, 256>>>(in: int[256] = 1, out: int[1])
// gives: out = [256]
// at 64: wrong result
// ---- original
__global__ void total(const int* in, int* out) {
  __shared__ volatile int s[256];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int d = blockDim.x / 2; d > warpSize; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t < 32) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
  }
  if (t == 0) out[0] = s[0];
}
// ---- fixed
__global__ void total(const int* in, int* out) {
  __shared__ volatile int s[256];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[0] = s[0];
}
