// A template parameter that means a warp, with 32 as its default.
// kind: WIDTH_CONSTANT
// run: maximum<<<1, 128>>>(in: int[128] = i, out: int[1])
// gives: out = [127]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
template <int Width = 32>
__device__ int warp_max(int v) {
  for (int d = Width / 2; d > 0; d /= 2) v = max(v, SHFL_DOWN(v, d));
  return v;
}
__global__ void maximum(const int* in, int* out) {
  int v = warp_max(in[threadIdx.x]);
  if (threadIdx.x % warpSize == 0) atomicMax(out, v);
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
#if defined(__HIP_PLATFORM_AMD__)
#define WIDTH warpSize
#else
#define WIDTH 32
#endif
__device__ int warp_max(int v) {
  for (int d = WIDTH / 2; d > 0; d /= 2) v = max(v, SHFL_DOWN(v, d));
  return v;
}
__global__ void maximum(const int* in, int* out) {
  int v = warp_max(in[threadIdx.x]);
  if (threadIdx.x % warpSize == 0) atomicMax(out, v);
}
