// 31 - lane turns round the lower half only.
// kind: LANE_ARITHMETIC
// run: turned<<<1, 64>>>(in: int[64] = i, out: int[64])
// gives: out = [i // 32 * 32 + 31 - i % 32 for i in range(64)]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL(V, L) __shfl(V, L)
#else
#define SHFL(V, L) __shfl_sync(0xffffffff, V, L)
#endif
__global__ void turned(const int* in, int* out) {
  int lane = threadIdx.x % 32;
  out[threadIdx.x] = SHFL(in[threadIdx.x], 31 - lane);
}
// ---- fixed
__global__ void turned(const int* in, int* out) {
  int lane = threadIdx.x % 32;
#if defined(__HIP_PLATFORM_AMD__)
  out[threadIdx.x] = __shfl(in[threadIdx.x], 31 - lane, 32);
#else
  out[threadIdx.x] = __shfl_sync(0xffffffff, in[threadIdx.x], 31 - lane);
#endif
}
