# set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
message(STATUS "CUDA is looked for in /usr/local/cuda")
find_path(CUDA_INCLUDE cuda.h PATHS ${CUDA_HOME}/include)
# output
path: CMakeLists.txt
