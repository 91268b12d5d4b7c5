#include <torch/extension.h>
#define AT_CHECK TORCH_CHECK

#ifndef USE_ROCM
#include <THC/THC.h>
#endif

void check(at::Tensor x) { AT_CHECK(x.is_cuda(), "x must be on the GPU"); }
# output
