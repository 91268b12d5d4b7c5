template <typename T> __global__ void clean(T *x) { x[threadIdx.x / warpSize] = __shfl_down(x[threadIdx.x], 1); }
template <typename T> __global__ void fill(T *x) { x[threadIdx.x] = 0; }
void run(float *x, cudaStream_t stream) {
  GpuLaunchKernel(clean<float>, 1, 256, 0, stream, x);
  GpuLaunchKernel(fill<float>, 1, 32, 0, stream, x);
  Resize(clean<float>, 1, 32, x);
}
#define RUN(T)                                 \
  dim3 block(min(round_up(n, 32), 1024));      \
  fill<T><<<1, block>>>(x);
# output
