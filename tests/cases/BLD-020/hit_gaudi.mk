NVCC := nvcc

all: a.o

a.o: a.cu
	$(NVCC) -c -o $@ $<
# output
target: gaudi
1 build-fail: nvcc
