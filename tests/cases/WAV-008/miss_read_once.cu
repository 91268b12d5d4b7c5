// What the barriers leave is read once, and goes on in a register.
__device__ float largest(float *x, float val, int size) {
  int tid = threadIdx.x;
  x[tid] = val;
  __syncthreads();
  for (int i = size >> 1; i >= 64; i >>= 1) {
    if (tid < i) x[tid] = fmaxf(x[tid], x[tid + i]);
    __syncthreads();
  }
  float last = val;
  if (tid < 32) {
    last = fmaxf(x[tid], x[tid + 32]);
    for (int i = 16; i > 0; i >>= 1) last = fmaxf(last, __shfl_down_sync(0xffffffffffffffffull, last, i, 32));
  }
  return last;
}
# output
6 info: for (int i = size >> 1; i >= 64; i >>= 1)
