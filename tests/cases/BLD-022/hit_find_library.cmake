find_library(CUDA_LIB libcuda cuda HINTS ${HINTS})
find_library(NCCL_LIBRARY NAMES nccl PATHS ${NCCL_ROOT}/lib)
# output
1 build-fail: libcuda
2 build-fail: nccl
