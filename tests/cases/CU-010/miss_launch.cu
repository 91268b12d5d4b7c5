__global__ void tile(float *p) { extern __shared__ char raw[]; }
template <typename T> void run(T *p, int bytes, cudaStream_t stream) {
  tile<<<98304, 1024>>>(p);
  tile<<<1, 256, 0, stream>>>(p);
  tile<<<1, 256, 48 * 1024>>>(p);
  tile<<<1, 256, bytes>>>(p);
  int shifted = 1 << 20;
}
# output
