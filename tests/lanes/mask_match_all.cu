// Whether a warp of 32 agrees is not whether a wave of 64 does.
// kind: MASK_32
// run: agrees<<<1, 64>>>(key: int[64] = i / 32, out: int[2])
// gives: out = [1, 1]
// at 64: compile error
// unchecked: wrong result
// ---- original
__global__ void agrees(const int* key, int* out) {
  int same;
  __match_all_sync(0xffffffff, key[threadIdx.x], &same);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = same;
}
// ---- fixed
__global__ void agrees(const int* key, int* out) {
  int same;
#if defined(__HIP_PLATFORM_AMD__)
  const unsigned long long half = 0xffffffffull << (__lane_id() / 32 * 32);
  __match_all_sync(half, key[threadIdx.x], &same);
#else
  __match_all_sync(0xffffffff, key[threadIdx.x], &same);
#endif
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = same;
}
