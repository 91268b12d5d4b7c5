__global__ void reduce(float *x) { x[threadIdx.x / warpSize] = __shfl_down(x[threadIdx.x], 1); }
__global__ void fill(float *x) { x[threadIdx.x] = 0; }
void run(float *x, int channels, cudaStream_t stream) {
  const int cols_per_block = 32;
  const int num_threads = 256;
  LAUNCH_KERNEL(channels / cols_per_block, num_threads, stream, reduce, x);
}
void clear(float *x, int channels, cudaStream_t stream) {
  const int num_threads = std::max(128, 32 * channels);
  LAUNCH_KERNEL(channels, num_threads, stream, fill, x);
}
# output
