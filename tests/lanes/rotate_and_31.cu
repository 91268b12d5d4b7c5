// A ring of lanes closed with & 31.
// kind: LANE_ARITHMETIC
// run: ring<<<1, 64>>>(in: int[64] = i, out: int[64])
// gives: out = [i // 32 * 32 + (i + 3) % 32 for i in range(64)]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL(V, L) __shfl(V, L)
#else
#define SHFL(V, L) __shfl_sync(0xffffffff, V, L)
#endif
__global__ void ring(const int* in, int* out) {
  out[threadIdx.x] = SHFL(in[threadIdx.x], (threadIdx.x + 3) & 31);
}
// ---- fixed
__global__ void ring(const int* in, int* out) {
#if defined(__HIP_PLATFORM_AMD__)
  out[threadIdx.x] = __shfl(in[threadIdx.x], (threadIdx.x + 3) & 31, 32);
#else
  out[threadIdx.x] = __shfl_sync(0xffffffff, in[threadIdx.x], (threadIdx.x + 3) & 31);
#endif
}
