#!/bin/bash
nvcc --version
echo "nvcc -o saxpy saxpy.cu"
if command -v nvcc >/dev/null; then
  nvcc -o saxpy saxpy.cu
fi
# nvcc -c ops.cu
# output
