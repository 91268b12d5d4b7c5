// The full mask written as -1, an int.
// kind: MASK_32
// run: maximum<<<1, 64>>>(in: float[64] = (i * 37) % 64, out: float[1])
// gives: out = [63]
// at 64: compile error
// ---- original
__global__ void maximum(const float* in, float* out) {
  float v = in[threadIdx.x];
  for (int d = warpSize / 2; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(-1, v, d));
  if (threadIdx.x % warpSize == 0) atomicMax((int*)out, __float_as_int(v));
}
// ---- fixed
__global__ void maximum(const float* in, float* out) {
  float v = in[threadIdx.x];
  for (int d = warpSize / 2; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(-1ll, v, d));
  if (threadIdx.x % warpSize == 0) atomicMax((int*)out, __float_as_int(v));
}
