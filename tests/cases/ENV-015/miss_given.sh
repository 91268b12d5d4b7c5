#!/bin/bash
set -eu
TORCH_CUDA_ARCH_LIST="8.0 9.0"
echo "${TORCH_CUDA_ARCH_LIST}"
echo "${CUDA_HOME:-/usr/local/cuda}"
# output
