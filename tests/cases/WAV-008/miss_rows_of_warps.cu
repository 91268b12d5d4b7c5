__global__ void with_barriers(int* out) {
  __shared__ int row[8][32];
  int w = threadIdx.x / 32, l = threadIdx.x % 32;
  row[w][l] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = row[w][31 - l];
}
__global__ void own_slots(int* out) {
  __shared__ int row[8][32];
  int w = threadIdx.x / 32, l = threadIdx.x % 32;
  row[w][l] = out[threadIdx.x];
  out[threadIdx.x] = row[w][l] + 1;
  row[w][l] = row[w][l + 1];
}
__global__ void tile(float* out, const float* in) {
  __shared__ float square[32][33];
  square[threadIdx.y][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = square[threadIdx.x][threadIdx.y];
}
__device__ void one_statement(int (*row)[32], int warp, int j, int n) { row[warp][j] = row[warp][n]; }
# output
