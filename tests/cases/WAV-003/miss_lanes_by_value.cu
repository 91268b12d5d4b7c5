__global__ void packed(const unsigned *words, int *y, int n) {
  const int t = threadIdx.x;
  const int first = t * 32;
  int v = __shfl_down_sync(~0ull, y[t], 1);
  for (int i = first; i < n; i += 1024) v += words[i >> 5] >> (i & 31) & 1;
  const int bit = n & 0x1f;
  y[n / 32] = bit == 0x1f ? v : 0;
}
__global__ void apart(const unsigned *words, int *y) {
  const int bit = threadIdx.x & 31;
  y[threadIdx.x] = words[threadIdx.x >> 5] & (1u << bit) ? 1 : 0;
}
# output
