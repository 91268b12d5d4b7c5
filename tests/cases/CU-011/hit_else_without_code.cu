__global__ void scaled(float *out, float by) {
#if __CUDA_ARCH__ >= 800
    out[threadIdx.x] *= by;
#else
  #pragma message("not compiled for older GPUs")
#endif
}
# output
2 wrong-result: #if __CUDA_ARCH__ >= 800
