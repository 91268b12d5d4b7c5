__global__ void rows(const int *first, float *x, int n) {
  const int lane = threadIdx.x % warpSize;
  int at = first[0];
  for (at += lane; __any_sync(~0ull, at < n); at += warpSize) x[at] = 0;
  int page = 0;
  while (page < n) {
    x[page * 2] = 3;
    page += 32;
  }
  for (int step = 0, k = n; step < 4; ++step, k += 32) x[k] = 2;
  copy_rows(x, x + n, lane, warpSize);
  x[2] = __shfl_sync(~0ull, x[3], lane, 16);
  const int items_here = n;
  if (items_here <= 32) x[0] = 4;
}
# output
