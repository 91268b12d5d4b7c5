constexpr int kBytes = kThreads / 32;
__global__ void rows(const float *x, float *out, int n) {
  int lane = threadIdx.x % warpSize;
  float sum = 0;
  for (int i = lane; i < n; i += warpSize) sum += x[i];
  out[0] = __shfl_down(sum, 1);
}
__global__ void copies(const float *x, float *out, int n) {
  for (int i = threadIdx.x; i < n; i += 32) out[i] = x[i];
  out[n] = div_up(n, 32);
}
__global__ void aligned(char *x, int n) {
  int lane = threadIdx.x % warpSize;
  x[lane] = __shfl_down(n, 1) * 32 / sizeof(float);
}
__global__ void tile(const float *a, float *out) {
  __shared__ float tile[TILE][TILE + 1];
  tile[threadIdx.y][threadIdx.x] = a[blockIdx.x * TILE];
  out[0] = tile[threadIdx.x][threadIdx.y] + warpSize;
}
# output
