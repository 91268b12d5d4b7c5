__global__ void transpose(const float *x, float *y) {
  __shared__ __align__(16) float tile[32 * 33];
  tile[threadIdx.y * 33 + threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[0] = tile[threadIdx.x * 33 + threadIdx.y];
}
__device__ void share(char *block) { __shared__ char *result[32]; result[threadIdx.y] = block; }
# output
