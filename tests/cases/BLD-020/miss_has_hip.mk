ifdef USE_HIP
NVCC = hipcc
LIBS = -lhipblas
else
NVCC = nvcc
LIBS = -lcublas
endif
# output
5 info: nvcc
6 info: -lcublas
