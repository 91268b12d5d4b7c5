// A vote with 32 bits does not hear the upper half.
// kind: MASK_32
// run: any_negative<<<1, 128>>>(in: int[128] = i == 40 ? -1 : i, out: int[1])
// gives: out = [1]
// at 64: compile error
// unchecked: wrong result
// ---- original
__global__ void any_negative(const int* in, int* out) {
  int found = __any_sync(0xffffffff, in[threadIdx.x] < 0);
  if (threadIdx.x % warpSize == 0 && found) out[0] = 1;
}
// ---- fixed
__global__ void any_negative(const int* in, int* out) {
#if defined(__HIP_PLATFORM_AMD__)
  int found = __any_sync(~0ull, in[threadIdx.x] < 0);
#else
  int found = __any_sync(0xffffffff, in[threadIdx.x] < 0);
#endif
  if (threadIdx.x % warpSize == 0 && found) out[0] = 1;
}
