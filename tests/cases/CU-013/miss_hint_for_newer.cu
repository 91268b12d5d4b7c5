__global__ void step(float *x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  x[threadIdx.x] += 1;
}
# output
