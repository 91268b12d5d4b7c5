__device__ int bit(const unsigned *words, int t) { return words[t >> 5] >> (t & 0x1f) & 1; }
__device__ int vote(const unsigned *words, int n) {
  const int word = n >> 5, at = n & 0x1f;
  return __any_sync(~0ull, words[word] >> at);
}
__global__ void kernel(const unsigned *words, int *y, int n) { y[n] = bit(words, threadIdx.x) + vote(words, n); }
__global__ void near(int *x, int i) { x[0] = __shfl_sync(~0ull, x[1], i & 15, 16) + __shfl_xor_sync(~0ull, x[2], i % 2); }
# output
