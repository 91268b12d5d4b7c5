__global__ void rows(float *y) {
  __shared__ float s[4][64];
  const int tid = threadIdx.x, r = threadIdx.y;
  s[r][tid] = y[tid];
  __syncthreads();
  if (tid < 32) s[r][tid] += s[r][tid + 32];
  __syncthreads();
  if (tid < 16) s[r][tid] += s[r][tid + 16];
  __syncthreads();
  y[0] = s[r][0] + s[0][tid] * s[1][tid + 32];
}
#define SHIFTED(s, t, tid) s[tid] = t[tid + 32]
# output
