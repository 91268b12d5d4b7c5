// Lanes with the same key elect a leader; the upper half falls out of the mask.
// kind: MASK_32
// run: histogram<<<1, 128>>>(key: int[128] = i % 5, out: int[5])
// gives: out = [26, 26, 26, 25, 25]
// at 64: compile error
// unchecked: wrong result
// ---- original
__global__ void histogram(const int* key, int* out) {
  unsigned peers = __match_any_sync(0xffffffff, key[threadIdx.x]);
  if (__ffs(peers) - 1 == threadIdx.x % warpSize) atomicAdd(&out[key[threadIdx.x]], __popc(peers));
}
// ---- fixed
__global__ void histogram(const int* key, int* out) {
#if defined(__HIP_PLATFORM_AMD__)
  unsigned long long peers = __match_any_sync(~0ull, key[threadIdx.x]);
  if (__ffsll(peers) - 1 == threadIdx.x % warpSize) atomicAdd(&out[key[threadIdx.x]], __popcll(peers));
#else
  unsigned peers = __match_any_sync(0xffffffff, key[threadIdx.x]);
  if (__ffs(peers) - 1 == threadIdx.x % warpSize) atomicAdd(&out[key[threadIdx.x]], __popc(peers));
#endif
}
