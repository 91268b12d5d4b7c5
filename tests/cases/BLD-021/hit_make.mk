NVCCFLAGS := -O3 -arch=sm_80 --use_fast_math
app: main.cu
	nvcc -t 4 -use_fast_math main.cu -o app
# output
1 build-fail: -O3 -arch=sm_80 --use_fast_math
3 build-fail: -t
3 perf: -use_fast_math
