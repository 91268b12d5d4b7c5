__global__ void codes(const int *list, float *out, int n) {
  int lane = threadIdx.x % kWarpSize;
  int blocks = div_up(n, 32);
  for (int block = threadIdx.x / kWarpSize; block < blocks; block++) {
    const int *data = list + block * bits * 32 / 8;
    out[block * kWarpSize + lane] = data[lane];
  }
}
void pack(const int *in, int *out, int n) {  // for __global__ codes
  for (int i = 0; i < n; ++i) {
    int block = i / 32;
    int lane = i % 32;
    out[block * 8 + lane] = in[i];
  }
}
__global__ void tiles(const float *a, float *out) {
  __shared__ float tile[WARP_SIZE][WARP_SIZE + 1];
  int row = blockIdx.y * WARP_SIZE;
  tile[threadIdx.y][threadIdx.x] = a[row];
  out[row] = tile[threadIdx.x][threadIdx.y];
}
# output
3 info: div_up(n, 32)
5 info: * 32
11 info: i / 32
12 info: i % 32
17 info: WARP_SIZE
18 info: WARP_SIZE
