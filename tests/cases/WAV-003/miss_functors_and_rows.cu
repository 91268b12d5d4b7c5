struct Add { __device__ float operator()(float a, float b) const { return a + b; } };
struct Sum { __device__ float operator()(float v) const { return __shfl_down_sync(~0ull, v, 1); } };
__global__ void rows(const float *x, float *y, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  for (int c = threadIdx.x & 31; c < cols; c += 32) y[row] = Add()(x[c], 1);
}
template <int BLOCK> __global__ void parts(float *x) { x[BLOCK / 32] = x[threadIdx.x]; }
# output
