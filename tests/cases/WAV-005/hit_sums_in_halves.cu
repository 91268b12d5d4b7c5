__device__ float sum(float v) { for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(~0ull, v, o); return v; }
__global__ void rows(float *x) {
  __shared__ float parts[32];
  float v = sum(x[threadIdx.x]);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
}
__global__ void voted(float *x) {
  float v = x[threadIdx.x];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(~0ull, v, o);
  unsigned long long who = __ballot_sync(~0ull, v > 0);
  x[0] = v + who;
}
# output
1 info: for (int o = 16; o > 0; o >>= 1)
9 wrong-result: for (int o = 16; o > 0; o >>= 1)
