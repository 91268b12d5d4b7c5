CXX = hipcc
LDLIBS := -lcublas
NVCC = nvcc
ifeq ($(GPU_RUNTIME), CUDA)
	LDLIBS += -lcudart
endif
# output
path: Makefile
ported: yes
2 build-fail: -lcublas
3 info: nvcc
5 info: -lcudart
