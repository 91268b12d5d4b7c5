__global__ void body(float *x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#else
  __syncthreads();
#endif
}
# output
