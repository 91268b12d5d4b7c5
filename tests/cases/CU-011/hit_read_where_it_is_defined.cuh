// Nothing of the function's body is compiled for AMD: no value is read there, and no further test.
__global__ void kernel(int* out) {
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 750
  out[0] = 1;
  return;
#endif
  printf("built for sm%d\n", int(__CUDA_ARCH__ + 0) / 10);
#endif
}
# output
3 wrong-result: #ifdef __CUDA_ARCH__
