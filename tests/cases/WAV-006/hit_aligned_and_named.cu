__global__ void sums(const float *x, float *y) {
  __shared__ __align__(alignof(float)) char raw[32 * 33 * sizeof(float)];
  float *parts = reinterpret_cast<float *>(raw);
  parts[threadIdx.y * 33 + threadIdx.x] = __shfl_down(x[threadIdx.x], 1);
  y[0] = parts[0];
}
__device__ void share(char *block) { __shared__ char *warp_result[32]; warp_result[warp_of_thread()] = block; }
# output
2 info: __shared__ __align__(alignof(float)) char raw[32 * 33 * sizeof(float)]
7 info: __shared__ char *warp_result[32]
