debug:
	cuda-gdb ./app
	-nvprof ./app
# output
target: gaudi
2 crash: cuda-gdb
3 crash: nvprof
