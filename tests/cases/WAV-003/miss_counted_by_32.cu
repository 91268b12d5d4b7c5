__device__ int words(const unsigned *bits, int n) {
  int found = 0;
  for (int word = 0; word < n; word++) found += bits[word] ? word * 32 + 31 - __clz(bits[word]) : 0;
  return found;
}
__global__ void rows(const int *x, int *y, int n, int pitch) {
  for (int i = threadIdx.x; i < n; i += 32) y[i] = x[i * 32 + pitch];
  for (int i = 0; i < n; i += 32) y[i] = x[i] + 32;
}
__global__ void halves(int *x) {
  const int lane = threadIdx.x % warpSize;
  x[lane] = warpSize > 32 ? __shfl(x[lane], lane + 32) : x[lane];
}
__device__ int clipped(int bits) { return min(bits, 32); }
__global__ void by_tile(const int *x, int *y, int n) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  for (int i = tile.thread_rank(); i < n; i += 32) y[i] = tile.shfl_down(x[i], 1);
}
constexpr int kBits = 32 * kWords;
__device__ int packs(int bits, int v) {
  int values_per_word = 32 / bits;
  return __shfl_down_sync(~0ull, v, 1) * values_per_word;
}
# output
