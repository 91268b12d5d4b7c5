project(kernels CXX)
# set(CMAKE_CUDA_FLAGS "--use_fast_math")
set(CMAKE_CXX_FLAGS "-O3 -ffast-math -march=native")
set(ARCH_DOC "x" CACHE STRING "value of -gencode")
string(REGEX REPLACE "-gencode[^ ]*" "" FLAGS "${FLAGS}")
message(STATUS "--use_fast_math")
target_compile_options(app PRIVATE -O3 -t)
# output
