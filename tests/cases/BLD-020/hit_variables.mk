CUDA_HOME ?= /usr/local/cuda
NVCC := $(CUDA_HOME)/bin/nvcc
LDLIBS = -lm -lcudart -lcublas -lcufile

kernel.o: kernel.cu
	$(NVCC) -c $< -o $@
# output
2 build-fail: $(CUDA_HOME)/bin/nvcc
3 build-fail: -lcudart
3 build-fail: -lcublas
3 build-fail: -lcufile
