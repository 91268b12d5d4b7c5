__device__ int a(int p) { unsigned b = __ballot_sync(~0ull, p); return b != 0; }
__device__ int b(int p) { const int votes = __ballot(p); return votes & 1; }
__device__ int c(int p) { uint32_t m; m = __ballot(p); return m >> 3; }
__device__ int d() { uint active = __activemask(); return active & 2; }
__device__ int e(int v) { unsigned int peers = __match_any_sync(~0ull, v); return peers == 1; }
__device__ int f(int p, int q) { unsigned both = __ballot(p) & __ballot(q); return both > 4; }
__device__ int g(int p) { int b = (int)__ballot(p); return b; }
__global__ void words(const int *x, unsigned *out) { unsigned b = __ballot(x[threadIdx.x]); out[threadIdx.x / warpSize] = b; }
__device__ unsigned handed_back(int p) { return __ballot(p); }
__global__ void shared_words(const int *x, int *y) {
  __shared__ unsigned sel[16];
  unsigned m = __ballot(x[threadIdx.x]);
  sel[threadIdx.y] = m;
  y[threadIdx.x] = sel[0];
}
__device__ int copied(int p) { unsigned first; auto b = __ballot(p); first = b; return first; }
__device__ int32_t k(int p) { int32_t bits = __ballot(p); return bits; }
# output
1 wrong-result: unsigned b
2 wrong-result: int votes
3 wrong-result: uint32_t m
4 wrong-result: uint active
5 wrong-result: unsigned int peers
6 wrong-result: unsigned both
7 wrong-result: int b
8 wrong-result: unsigned *out
9 wrong-result: unsigned handed_back
10 wrong-result: int *y
11 wrong-result: unsigned sel
12 wrong-result: unsigned m
13 wrong-result: sel[threadIdx.y] = m
14 wrong-result: y[threadIdx.x] = sel[
16 wrong-result: unsigned first
17 wrong-result: int32_t bits
