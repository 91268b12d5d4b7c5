__global__ void ranks(const int *x, int *y, int peers, int columns) {
  int lane = threadIdx.x % warpSize;
  assert(peers <= 32);
  MY_DEVICE_ASSERT(columns % 32 == 0);
  y[lane] = __shfl_sync(~0ull, x[lane], peers - 1);
}
# output
3 info: assert(peers <= 32
4 info: MY_DEVICE_ASSERT(columns % 32 == 0
