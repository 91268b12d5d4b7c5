__global__ void mirrored(int* out) {
  __shared__ int row[8][32];
  int w = threadIdx.x / 32, l = threadIdx.x % 32;
  row[w][l] = out[threadIdx.x];
  out[threadIdx.x] = row[w][31 - l];
}
__global__ void prefix(int* out) {
  __shared__ volatile int part[8][64];
  int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  part[warp][lane] = 0;
  part[warp][lane + 32] = out[threadIdx.x];
  for (int d = 1; d < 32; d <<= 1) part[warp][lane + 32] += part[warp][lane + 32 - d];
}
# output
5 info: row[w][31 - l]
12 wrong-result: for (int d = 1; d < 32; d <<= 1)
