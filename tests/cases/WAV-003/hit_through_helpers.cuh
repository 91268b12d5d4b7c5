template <typename T> __device__ T warp_sum(T v) { for (int o = warpSize / 2; o; o >>= 1) v += __shfl_down(v, o); return v; }
template <typename T> __device__ T block_sum(T v, T *parts) {
  const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
  v = warp_sum(v);
  if (lane == 0) parts[wid] = v;
  __syncthreads();
  return threadIdx.x < blockDim.x / 32 ? parts[lane] : T(0);
}
__global__ void rows(float *x, float *parts) { x[blockIdx.x] = block_sum(x[threadIdx.x / 32], parts); }
__global__ void other_file(float *x) { if (threadIdx.x % 32 == 0) x[0] = warpReduceMax(x[threadIdx.x]); }
__global__ void library(float *x) {
  __shared__ typename cub::WarpReduce<float>::TempStorage temp[8];
  int warp = threadIdx.x / 32;
  x[warp] = cub::WarpReduce<float>(temp[warp]).Sum(x[threadIdx.x]);
}
#define LANES 32
__global__ void by_constant(int *x) { int l = threadIdx.x % LANES; if (__any(x[l])) x[0] = 1; }
# output
3 wrong-result: threadIdx.x & 31
7 wrong-result: blockDim.x / 32
9 wrong-result: threadIdx.x / 32
10 wrong-result: threadIdx.x % 32
13 wrong-result: threadIdx.x / 32
17 wrong-result: threadIdx.x % LANES
