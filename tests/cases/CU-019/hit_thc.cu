#include <THC/THC.h>
#include <THC/THCAtomics.cuh>
#include <torch/extension.h>

extern THCState *state;

void check(at::Tensor x) {
  AT_CHECK(x.is_cuda(), "x must be on the GPU");
  THCudaCheck(cudaGetLastError());
}
# output
1 build-fail: #include <THC/THC.h>
5 build-fail: THCState
8 build-fail: AT_CHECK
9 build-fail: THCudaCheck
