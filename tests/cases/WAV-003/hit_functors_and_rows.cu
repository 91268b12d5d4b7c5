struct Sum { template <typename T> __device__ T operator()(T v) const { for (int o = warpSize / 2; o; o /= 2) v += __shfl_xor_sync(~0ull, v, o); return v; } };
__global__ void rows(const float *x, float *y, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x & 31;
  float s = 0;
  for (int c = lane; c < cols; c += 32) s += x[row * cols + c];
  y[row] = Sum()(s);
}
template <int BLOCK> __global__ void parts(float *x) {
  constexpr int parts = BLOCK / 32;
  x[parts] = __shfl_down_sync(~0ull, x[0], 1);
}
__global__ void keys(const int *k, int *out) {
  int gid = blockIdx.x * blockDim.x + threadIdx.x;
  int leader = __ffsll(__match_any_sync(~0ull, k[gid])) - 1;
  out[gid >> 5] = leader;
}
# output
3 wrong-result: (blockIdx.x * blockDim.x + threadIdx.x) / 32
4 wrong-result: threadIdx.x & 31
6 wrong-result: c += 32
10 wrong-result: BLOCK / 32
16 wrong-result: gid >> 5
