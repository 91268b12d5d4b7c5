__global__ void rows(const int *first, const int *end, float *x, int n) {
  const int lane = threadIdx.x % warpSize;
  int at = first[0];
  for (at += lane; __any_sync(~0ull, at < end[0]); at += 32) x[at] = 0;
  for (; at < n; at += 32) x[at + lane] = 1;
  for (int step = 0, k = lane; step < 4; ++step, k += 32) x[k] = 2;
  int window = 0;
  while (window < n) {
    x[window + lane] = 3;
    window += 32;
  }
  copy_rows(x, x + n, lane, 32);
  const int threads_here = blockDim.x;
  if (threads_here <= 32) x[0] = 4;
  const int loader_tid = n;
  if ((loader_tid & 31) == 0) x[1] = 5;
}
template <int WARPS_M, int WARPS_N> __global__ void barriers(float *x) {
  named_barrier(0, WARPS_M * WARPS_N * 32);
  x[0] = __shfl_down_sync(~0ull, x[1], 1);
}
# output
4 wrong-result: at += 32
5 wrong-result: at += 32
6 wrong-result: k += 32
10 wrong-result: window += 32;
12 wrong-result: lane, 32
14 wrong-result: threads_here <= 32
16 wrong-result: loader_tid & 31
19 wrong-result: * 32
