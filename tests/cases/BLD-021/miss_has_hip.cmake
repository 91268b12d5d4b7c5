project(kernels CXX)
if(USE_HIP)
  enable_language(HIP)
  set(CMAKE_HIP_FLAGS "-ffast-math")
else()
  set(CMAKE_CUDA_FLAGS "--use_fast_math")
endif()
# output
