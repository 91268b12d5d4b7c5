export CUDA_HOME=/usr/local/cuda
export ROCM_HOME=/opt/rocm
# output
