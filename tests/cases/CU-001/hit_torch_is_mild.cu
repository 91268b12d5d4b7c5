#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

void sync() { cudaStreamSynchronize(at::cuda::getCurrentCUDAStream()); }
# output
4 info: cudaStreamSynchronize
