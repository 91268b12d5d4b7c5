#!/bin/bash
set -e
echo "building for $TORCH_CUDA_ARCH_LIST"
# output
