#define TX threadIdx.x
__global__ void scans(const int *x, int *y, int stride, int items) {
  int tid = threadIdx.x + 32 * threadIdx.y;
  int lane = 31 & tid;
  int first = ~31 & tid;
  int v = __shfl_down_sync(~0ull, x[tid], stride);
  if (lane + stride < 32) y[first] = v;
  if (TX % 32 == 0) y[1] = v;
  const int num_warps = items / 32;
  assert((blockDim.x & 31) == 0);
  y[2] = num_warps;
}
__global__ void one(int *x) { static_assert(kBlock == 32, "one warp a block"); x[0] = 0; }
void host(int *y, int items) {
  int warps_per_block = items / 32;
  launch(y, warps_per_block);
}
__global__ void by_macro(float *x, int first_of_warp) {
  GET_THREAD_NUMBER(tid, 1024);
  const int ray = tid >> 5;
  for (int k = 0; k < 4; ++k) x[ray] += __shfl_down_sync(~0ull, x[first_of_warp + (k << 5)], 1);
}
# output
3 info: 32 * threadIdx.y
4 info: 31 & tid
5 info: ~31 & tid
7 info: stride < 32
8 info: TX % 32
9 info: items / 32
10 info: assert((blockDim.x & 31) == 0
13 info: static_assert(kBlock == 32
15 info: items / 32
20 info: tid >> 5
21 info: << 5
