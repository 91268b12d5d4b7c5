__global__ void reduce(float *out, int block_size) {
  extern __shared__ float s[];
  const int tid = threadIdx.x;
  __syncthreads();
  if (tid < 32) {
    volatile float *sv = s;
    if (block_size >= 64) add(sv, tid, 32);  // warp by warp
    if (block_size >= 32) add(sv, tid, 16);
  }
  if (tid < 32) out[tid] = s[tid];
}
# output
5 info: if (tid < 32)
