template <int BLOCK, int WARP_SIZE> __global__ void color(int *x) { x[threadIdx.x / WARP_SIZE] = __shfl_down_sync(~0ull, x[0], 1); }
void host(int *x) { color<256, 32> <<<1, 256>>>(x); }
__global__ void others(float *x) { x[0] = warp_reduce_max<float, 32>(x[threadIdx.x]); }
__device__ float parts(float v, int per_warp) {
  for (int offset = 16 / per_warp; offset > 0; offset /= 2) v += __shfl_down_sync(~0ull, v, offset);
  return v;
}
# output
2 wrong-result: color<256, 32> <<<
3 info: warp_reduce_max<float, 32>(
5 wrong-result: for (int offset = 16 / per_warp; offset > 0; offset /= 2)
