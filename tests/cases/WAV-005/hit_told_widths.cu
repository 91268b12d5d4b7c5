template <typename T, int N>
__device__ T sum(T v) {
#pragma unroll
  for (int d = N / 2; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffffffffffull, v, d);
  return v;
}
template <int kLanes>
__device__ int prefix(int v, int lane) {
  for (int d = 1; d < kLanes; d *= 2) {
    int other = __shfl_up_sync(0xffffffffffffffffull, v, d);
    if (lane >= d) v += other;
  }
  return v;
}
__global__ void rows(float* out) { out[0] = sum<float, 32>(out[threadIdx.x]); }
__global__ void ranks(int* out, int lane) { out[0] = prefix<32>(out[threadIdx.x], lane); }
# output
15 info: sum<float, 32>(
16 info: prefix<32>(
