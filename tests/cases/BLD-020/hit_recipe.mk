all: app

app: main.cu
	@nvcc -O3 main.cu -o app -lcurand
	g++ host.cpp -lcuda

other: other.cu
	$(NVCC) other.cu
# output
4 build-fail: nvcc
4 build-fail: -lcurand
5 build-fail: -lcuda
8 build-fail: $(NVCC)
