__device__ float total(float v) { for (int o = warpSize / 2; o; o >>= 1) v += __shfl_down(v, o); return v; }
__global__ void tree(float *s) {
  int tid = threadIdx.x;
  for (int i = blockDim.x / 2; i > 0; i >>= 1) {
    if (tid < i) s[tid] += s[tid + i];
    __syncthreads();
  }
}
__global__ void two(volatile float *s) { int tid = threadIdx.x; s[tid] = s[tid] + s[tid + 1]; } // warp
# output
