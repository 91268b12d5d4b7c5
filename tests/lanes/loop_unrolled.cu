// The five steps written out.
// kind: LOOP
// run: total<<<1, 64>>>(in: float[64] = i, out: float[1])
// gives: out = [2016]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
__global__ void total(const float* in, float* out) {
  float v = in[threadIdx.x];
  v += SHFL_DOWN(v, 16);
  v += SHFL_DOWN(v, 8);
  v += SHFL_DOWN(v, 4);
  v += SHFL_DOWN(v, 2);
  v += SHFL_DOWN(v, 1);
  if (threadIdx.x % warpSize == 0) atomicAdd(out, v);
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
__global__ void total(const float* in, float* out) {
  float v = in[threadIdx.x];
  if (warpSize == 64) v += SHFL_DOWN(v, 32);
  v += SHFL_DOWN(v, 16);
  v += SHFL_DOWN(v, 8);
  v += SHFL_DOWN(v, 4);
  v += SHFL_DOWN(v, 2);
  v += SHFL_DOWN(v, 1);
  if (threadIdx.x % warpSize == 0) atomicAdd(out, v);
}
