template <typename T, int N>
__device__ T sum(T v) {
  for (int d = N / 2; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffffffffffull, v, d);
  return v;
}
template <typename T, int N>
__device__ T logical(T v) {
  for (int d = N / 2; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffffffffffull, v, d, N);
  return v;
}
template <int kItems, int N>
__device__ float chunks(const float* in, float v) {
  for (int i = 0; i < kItems; ++i) v += in[i];
  for (int d = N / 2; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffffffffffull, v, d);
  return v;
}
__global__ void rows(float* out) {
  out[0] = sum<float, 8>(out[threadIdx.x]) + sum<float, 16>(out[1]) + logical<float, 32>(out[2]);
  out[1] = chunks<32, 8>(out, 0.f) + sum<float, 64>(out[3]);
}
# output
