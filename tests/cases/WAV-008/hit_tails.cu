__device__ void a(float *s, int tid) { if (tid < 32) { s[tid] += s[tid + 32]; s[tid] += s[tid + 16]; s[tid] += s[tid + 8]; } }
__global__ void b(float *x) {
  __shared__ float sdata[256];
  int tid = threadIdx.x;
  sdata[tid] = x[tid];
  __syncthreads();
  if (tid < 32) {
    sdata[tid] = fmaxf(sdata[tid], sdata[tid + 32]);
    sdata[tid] = fmaxf(sdata[tid], sdata[tid + 16]);
  }
  if (tid == 0) x[0] = sdata[0]; // one warp
}
__global__ void c(int *x) { // a warp
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  if (t < 32) { s[t] |= s[t + 32]; s[t] |= s[t + 16]; s[t] |= s[t + 8]; }
  x[0] = s[0];
}
# output
1 wrong-result: s[tid] += s[tid + 32]
8 wrong-result: sdata[tid] = fmaxf(sdata[tid], sdata[tid + 32]
9 wrong-result: sdata[tid] = fmaxf(sdata[tid], sdata[tid + 16]
17 wrong-result: s[t] |= s[t + 32]
