#if CUDA_VERSION < 11020
#error "CUDA 11.2 is needed"
#endif
int f() {
#if CUDART_VERSION >= 12000
  return 2;
#else
  return 1;
#endif
}
# output
1 build-fail: #if CUDA_VERSION < 11020
5 info: #if CUDART_VERSION >= 12000
