// Each half of a wave does by itself what a warp did: right on 64 lanes, but for the mask's bits.
#define WARP 32
__device__ float total(float v) {
  for (int offset = WARP / 2; offset > 0; offset /= 2) v += __shfl_down(v, offset);
  return v;
}
__global__ void sums(const float *x, float *y) {
  __shared__ float part[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v = total(x[threadIdx.x]);
  if (lane == 0) part[warp] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? part[lane] : 0;
  if (warp == 0) v = total(v);
  if (threadIdx.x == 0) *y = v;
}
# output
4 info: for (int offset = WARP / 2; offset > 0; offset /= 2)
