__device__ int below(unsigned set, int lane) { return __popc(set & ((1u << lane) - 1)); }
__global__ void ranks(int *x) { int lane = threadIdx.x % warpSize; x[0] = below(__ballot(x[1]), lane); }
__global__ void into_memory(const int *x, unsigned *words) { atomicOr(words, __ballot(x[threadIdx.x])); }
__global__ void macros(int *x) { unsigned b = WARP_BALLOT(x[0]); x[1] = POPC(b); }
__global__ void bits(int *x) { auto b = __ballot(x[0]); for (int i = 0; i < 8; i++) if (b & (1u << i)) x[i] = 1; }
__global__ void turns(int *x) {
  bool done = false;
  while (!done) {
    auto waiting = __ballot(1);
    if (threadIdx.x % warpSize == __ffs(waiting) - 1) { x[0]++; done = true; }
  }
}
__global__ void until_all(const int *x) { while (__ballot(x[threadIdx.x]) != 0xffffffff) {} }
# output
1 wrong-result: unsigned set
3 info: atomicOr(words, __ballot(x[threadIdx.x])
4 wrong-result: unsigned b
5 wrong-result: 1u << i
10 crash: __ffs(waiting
13 crash: __ballot(x[threadIdx.x]) != 0xffffffff
