template <int WARP_SIZE>
__device__ float total(float x) {
  for (int offset = WARP_SIZE / 2; offset > 0; offset >>= 1) x += __shfl_down_sync(~0ull, x, offset, WARP_SIZE);
  return __shfl_sync(~0ull, x, 0, WARP_SIZE);
}
template <int COLUMNS>
__global__ void rows(const float* in, float* out) {
  constexpr int WARP_SIZE = 32;
  const int lane = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < COLUMNS / WARP_SIZE; i++) sum += in[i * WARP_SIZE + lane];
  sum = total<WARP_SIZE>(sum);
  if (lane == 0) out[threadIdx.y] = sum;
}
void run(const float* in, float* out) { rows<128><<<1, dim3(32, 4)>>>(in, out); }
__global__ void other(int* x) {
  int lane = threadIdx.x & 31;
  int warp = threadIdx.x / 32;
  x[warp] = __shfl_sync(~0ull, x[lane], 0);
}
# output
17 wrong-result: threadIdx.x & 31
18 wrong-result: threadIdx.x / 32
