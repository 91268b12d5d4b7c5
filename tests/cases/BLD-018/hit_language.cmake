project(kernels CXX)
enable_language(CUDA)
if(USE_GPU)
  find_package(CUDA 11 REQUIRED)
endif()
# output
2 build-fail: enable_language(CUDA)
4 build-fail: find_package(CUDA 11 REQUIRED)
