// The width in an enum; waves number themselves by it.
// kind: WIDTH_CONSTANT
// run: firsts<<<1, 128>>>(in: int[128] = i, out: int[4] = -1)
// gives: out = [0, 32, 64, 96]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL(V, L) __shfl(V, L)
#else
#define SHFL(V, L) __shfl_sync(0xffffffff, V, L)
#endif
enum { WARP_LANES = 32 };
__global__ void firsts(const int* in, int* out) {
  int first = SHFL(in[threadIdx.x], 0);
  if (threadIdx.x % WARP_LANES == 0) out[threadIdx.x / WARP_LANES] = first;
}
// ---- fixed
enum { WARP_LANES = 32 };
__global__ void firsts(const int* in, int* out) {
#if defined(__HIP_PLATFORM_AMD__)
  int first = __shfl(in[threadIdx.x], 0, WARP_LANES);
#else
  int first = __shfl_sync(0xffffffff, in[threadIdx.x], 0);
#endif
  if (threadIdx.x % WARP_LANES == 0) out[threadIdx.x / WARP_LANES] = first;
}
