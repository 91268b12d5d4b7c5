#!/bin/bash
/usr/local/cuda/bin/nvcc -c kernel.cu -o kernel.o
g++ -I/usr/local/cuda/include main.cpp -L /usr/local/cuda/lib64 -lcudart
/opt/rocm-6.2.0/bin/hipcc kernel.hip
# output
2 build-fail: /usr/local/cuda/bin/nvcc
3 build-fail: -I/usr/local/cuda/include
4 info: /opt/rocm-6.2.0/bin/hipcc
