__device__ void warp_reduce(volatile float *s, int tid) { s[tid] += s[tid + 32]; s[tid] += s[tid + 16]; s[tid] += s[tid + 8]; }
template <int BLOCK> __device__ void tail(volatile int *s, unsigned tid) {
  if (BLOCK >= 64) s[tid] += s[tid + 32];
  if (BLOCK >= 32) s[tid] += s[tid + 16];
  if (BLOCK >= 16) s[tid] += s[tid + 8];
}
__global__ void last(double *x) {
  __shared__ double s[256];
  const unsigned tid = threadIdx.x;
  s[tid] = x[tid];
  __syncthreads();
  if (tid < 32) { volatile double *v = s; v[tid] = fmax(v[tid], v[tid + 32]); v[tid] = fmax(v[tid], v[tid + 16]); }
}
__device__ void by_warp_barrier(float *s, int tid) {
  s[tid] += s[tid + 16];
  __syncwarp();
  s[tid] += s[tid + 8];
  __syncwarp();
}
# output
1 info: s[tid] += s[tid + 32]
3 info: s[tid] += s[tid + 32]
4 info: s[tid] += s[tid + 16]
12 info: if (tid < 32)
16 info: __syncwarp()
18 info: __syncwarp()
