__device__ int decode(const int *x, int t) {
  const int row = t >> 5;
  const int rank = t & 0x1f;
  int v = shuffle(x[rank], (row - 1) & 0x1f);
  for (int i = t; i < 100; i += 32) v += x[i];
  if (t < 2 * 32) v++;
  return __any_sync(~0ull, v) ? v : row;
}
__device__ int state(const int *x, int t) { return decode(x, t); }
__global__ void kernel(const int *x, int *y) { const int me = static_cast<int>(threadIdx.x); y[me] = state(x, me); }
template <int N, int kParts = parts_of(N)>
__global__ void LAUNCH_BOUNDS(256) other(int *x) { x[threadIdx.x >> 5] = __all_sync(~0ull, x[0]); }
__global__ void pick(int *x, int i) { x[0] = __shfl_sync(~0ull, x[1], (i + 1) % 32); }
__global__ void next(int *x, int i) { x[0] = __shfl_sync(~0ull, x[2], (i + 3) & 31); }
# output
2 wrong-result: t >> 5
3 wrong-result: t & 0x1f
4 wrong-result: (row - 1) & 0x1f
5 wrong-result: i += 32
6 wrong-result: t < 2 * 32
12 wrong-result: threadIdx.x >> 5
13 wrong-result: (i + 1) % 32
14 wrong-result: (i + 3) & 31
