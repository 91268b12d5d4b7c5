INCLUDES = -Iinclude -I/usr/local/cuda/include
LDFLAGS = -L/usr/local/cuda/lib64
# output
path: Makefile
1 build-fail: -Iinclude -I/usr/local/cuda/include
2 build-fail: -L/usr/local/cuda/lib64
