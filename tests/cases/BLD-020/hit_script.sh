#!/bin/bash
nvcc -O3 -arch=sm_86 -o saxpy saxpy.cu -lcublas
NVCC=/usr/local/cuda/bin/nvcc
$NVCC -shared -o libops.so ops.cu
# output
2 build-fail: nvcc
4 build-fail: $NVCC
