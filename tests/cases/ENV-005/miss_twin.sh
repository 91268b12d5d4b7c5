export TORCH_CUDA_ARCH_LIST="8.0;9.0"
export PYTORCH_ROCM_ARCH="gfx942;gfx1100"
# output
