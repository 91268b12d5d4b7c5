__global__ void reduce(float *x) { x[threadIdx.x / warpSize] = __shfl_down(x[threadIdx.x], 1); }
void run(float *x, int channels, cudaStream_t stream) {
  const int num_threads = std::max(128, 32 * channels);
  LAUNCH_KERNEL(channels, num_threads, stream, reduce, x);
}
# output
3 wrong-result: num_threads = std::max(128, 32 * channels)
