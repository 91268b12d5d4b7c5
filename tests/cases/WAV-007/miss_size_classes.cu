template <int N> __global__ void copy(float *x) { x[0] = x[1] + warpSize; }
__global__ void plain(float *x) { x[threadIdx.x] = 0; }
void run(float *x, int n) {
  int bits = n <= 32 ? 32 : 64;
  if (n <= 32) x = nullptr;
  dim3 block(32, 8);
  plain<<<bits, block>>>(x);
}
# output
