// fix: none
__device__ float total(float v) {
  for (int offset = 32; offset > 0; offset /= 2) v += __shfl_xor(v, offset);
  return v;
}
__global__ void rows(float* out) {
  float v = total(out[threadIdx.x]);
  unsigned votes = __ballot(v > 0);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v + __popc(votes);
}
