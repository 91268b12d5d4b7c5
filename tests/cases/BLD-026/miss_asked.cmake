if(USE_CUDA)
  set(HIP_PLATFORM "nvidia")
endif()
# output
