CC = hipcc
export HIP_PLATFORM = nvidia
program: main.o
	$(CC) -o $@ $<
# output
2 build-fail: nvidia
