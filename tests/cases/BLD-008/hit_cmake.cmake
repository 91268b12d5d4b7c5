set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
include_directories(/usr/local/cuda-12.1/include)
find_library(CUBLAS cublas HINTS /usr/local/cuda/lib64)
# output
path: CMakeLists.txt
1 build-fail: /usr/local/cuda/bin/nvcc
2 build-fail: /usr/local/cuda-12.1/include
3 info: /usr/local/cuda/lib64
