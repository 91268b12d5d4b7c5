// How many lanes are in a branch, counted in 32 bits.
// kind: BIT_COUNT
// run: count<<<1, 64>>>(in: int[64] = i, out: int[1])
// gives: out = [48]
// at 64: wrong result
// ---- original
__global__ void count(const int* in, int* out) {
  if (in[threadIdx.x] >= 16) {
    auto active = __activemask();
    int n = __popc(active);
    if (__ffsll(active) - 1 == threadIdx.x % warpSize) atomicAdd(out, n);
  }
}
// ---- fixed
__global__ void count(const int* in, int* out) {
  if (in[threadIdx.x] >= 16) {
    auto active = __activemask();
    int n = __popcll(active);
    if (__ffsll(active) - 1 == threadIdx.x % warpSize) atomicAdd(out, n);
  }
}
