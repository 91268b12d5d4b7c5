__global__ void rows(float *y) {
  __shared__ volatile float s[4][64];
  const int tid = threadIdx.x, r = threadIdx.y;
  s[r][tid] = y[tid];
  __syncthreads();
  if (tid < 32) {
    s[r][tid] += s[r][tid + 32];
    s[r][tid] += s[r][tid + 16];
  }
}
#define TAIL(s, tid) if (tid < 32) { s[tid] += s[tid + 32]; s[tid] += s[tid + 16]; }
# output
7 info: s[r][tid] += s[r][tid + 32]
8 info: s[r][tid] += s[r][tid + 16]
11 wrong-result: s[tid] += s[tid + 32]
