export TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX"
TORCH_CUDA_ARCH_LIST=8.6 pip install -e .
# output
1 build-fail: TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX"
2 build-fail: TORCH_CUDA_ARCH_LIST=8.6
