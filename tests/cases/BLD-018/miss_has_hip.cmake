project(kernels LANGUAGES CXX)
if(USE_HIP)
  enable_language(HIP)
else()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
endif()
# output
