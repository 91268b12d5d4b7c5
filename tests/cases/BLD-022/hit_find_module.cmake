find_library(NCCL_LIBRARY NAMES nccl PATHS ${NCCL_ROOT}/lib)
# output
path: cmake/FindNCCL.cmake
1 info: nccl
