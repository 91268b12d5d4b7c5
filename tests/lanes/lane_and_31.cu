// Lane 0 of 32 broadcasts, but the shuffle reads lane 0 of the wave.
// kind: LANE_ARITHMETIC
// run: minus_first<<<1, 64>>>(in: int[64] = i * i, out: int[64])
// gives: out = [i * i - (i // 32 * 32) ** 2 for i in range(64)]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL(V, L) __shfl(V, L)
#else
#define SHFL(V, L) __shfl_sync(0xffffffff, V, L)
#endif
__global__ void minus_first(const int* in, int* out) {
  int lane = threadIdx.x & 31, v = 0;
  if (lane == 0) v = in[threadIdx.x];
  v = SHFL(v, 0);
  out[threadIdx.x] = in[threadIdx.x] - v;
}
// ---- fixed
__global__ void minus_first(const int* in, int* out) {
  int lane = threadIdx.x & 31, v = 0;
  if (lane == 0) v = in[threadIdx.x];
#if defined(__HIP_PLATFORM_AMD__)
  v = __shfl(v, 0, 32);
#else
  v = __shfl_sync(0xffffffff, v, 0);
#endif
  out[threadIdx.x] = in[threadIdx.x] - v;
}
