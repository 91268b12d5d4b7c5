#include <cuda.h>

CUfunction load(const void *image, const char *name) {
  CUmodule module;
  CUfunction function;
  if (cuModuleLoadData(&module, image) != CUDA_SUCCESS) return nullptr;
  cuModuleGetFunction(&function, module, name);
  return function;
}
# output
3 build-fail: CUfunction
