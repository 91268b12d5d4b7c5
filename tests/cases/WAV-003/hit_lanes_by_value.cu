__global__ void sums(const int *x, int *y, int n) {
  const int t = threadIdx.x;
  const int part = t & 0x1f;
  int v = __shfl_down_sync(~0ull, x[t], 1);
  for (int i = 1 + part; i < n; i += 32)
    y[(i / 32) % 4] += v;
  if (part == 0x1f) y[0] = v;
  y[1] = x[v * 32 + part];
}
# output
3 info: t & 0x1f
5 info: i += 32
6 info: i / 32
7 info: part == 0x1f
8 info: * 32
