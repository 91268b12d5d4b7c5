#define TY threadIdx.y
__global__ void scans(const int *x, int *y, int stride, int flags, int items) {
  int tid = threadIdx.x + blockDim.x * threadIdx.y;
  int low = 31 & flags;
  int v = __shfl_down_sync(~0ull, x[tid], low);
  if (items + stride < 32) y[0] = v;
  if (TY % 32 == 0) y[1] = v;
  const int num_words = items / 32;
  y[2] = num_words;
}
__global__ void tile(int *x) { x[threadIdx.x + 32 * threadIdx.y] = 0; }
__global__ void one(int *x) { static_assert(kBits == 32, "one word a block"); x[0] = 0; }
# output
