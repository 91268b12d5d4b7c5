// All of the lower half is not all of the wave.
// kind: MASK_32
// run: all_positive<<<1, 64>>>(in: int[64] = i == 50 ? -1 : 1, out: int[1] = 1)
// gives: out = [0]
// at 64: compile error
// unchecked: wrong result
// ---- original
__global__ void all_positive(const int* in, int* out) {
  if (!__all_sync(0xffffffff, in[threadIdx.x] > 0)) out[0] = 0;
}
// ---- fixed
__global__ void all_positive(const int* in, int* out) {
  if (!__all_sync(0xffffffffffffffffull, in[threadIdx.x] > 0)) out[0] = 0;
}
