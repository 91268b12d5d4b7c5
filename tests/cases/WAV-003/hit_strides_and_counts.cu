constexpr int kWarps = kThreads / 32;
constexpr int kBlock = kWarps * 32;
__global__ void rows(const float *x, int n) {
  int lane = threadIdx.x & 31;
  float sum = 0;
  for (int i = lane; i < n; i += 32) sum += x[i];
  sum += __shfl_down(sum, 1);
}
__global__ void items(float *x) {
  int item = blockIdx.x * blockDim.x + threadIdx.x;
  x[item >> 5] = __shfl_down(x[item & 31], 1);
}
# output
1 info: kWarps = kThreads / 32
2 info: kBlock = kWarps * 32
4 info: threadIdx.x & 31
6 info: i += 32
11 info: item >> 5
