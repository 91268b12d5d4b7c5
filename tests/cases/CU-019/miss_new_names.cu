#include <ATen/ceil_div.h>
#include <THC/THCAtomics.cuh>
#include <torch/extension.h>

void forward(at::Tensor x) {
  TORCH_CHECK(x.is_cuda(), "x must be on the GPU");
  TORCH_CHECK(x.type().is_cuda(), "x must be on the GPU");
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "forward", ([&] { (void)x; }));
}
# output
