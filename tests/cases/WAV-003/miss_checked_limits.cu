__global__ void ranks(const int *x, int *y, int peers) {
  int lane = threadIdx.x % warpSize;
  assert(peers <= 3200 && peers < 320);
  assert(peers <= warpSize);
  y[lane] = __shfl_sync(~0ull, x[lane], peers - 1);
}
__global__ void bits(const unsigned *x, unsigned *y, int count) {
  assert(count <= 32);
  y[threadIdx.x] = x[0] >> (32 - count);
}
# output
