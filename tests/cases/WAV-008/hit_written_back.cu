__global__ void last_warp(float *x) {
  int tid = threadIdx.x;
  if (tid < 32) {
    float v = x[tid] + x[tid + 32];
    x[tid] = v;
    v += x[tid + 16];
    x[0] = v;
  }
}
# output
4 wrong-result: x[tid] + x[tid + 32]
