// A helper that takes the mask as unsigned, and callers that give it a full one.
// kind: MASK_32
// run: total<<<1, 96>>>(in: int[96] = i * 2, out: int[1])
// gives: out = [sum(2 * i for i in range(96))]
// at 64: compile error
// ---- original
__device__ int add_up(unsigned mask, int v) {
  for (int d = 1; d < warpSize; d *= 2) v += __shfl_xor_sync(mask, v, d);
  return v;
}
__global__ void total(const int* in, int* out) {
  int v = add_up(0xffffffffu, in[threadIdx.x]);
  if (threadIdx.x % warpSize == 0) atomicAdd(out, v);
}
// ---- fixed
__device__ int add_up(int v) {
#if defined(__HIP_PLATFORM_AMD__)
  for (int d = 1; d < warpSize; d *= 2) v += __shfl_xor(v, d);
#else
  for (int d = 1; d < warpSize; d *= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
#endif
  return v;
}
__global__ void total(const int* in, int* out) {
  int v = add_up(in[threadIdx.x]);
  if (threadIdx.x % warpSize == 0) atomicAdd(out, v);
}
