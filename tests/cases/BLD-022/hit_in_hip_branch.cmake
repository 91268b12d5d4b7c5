if(WITH_HIP)
  enable_language(HIP)
  target_link_libraries(x PRIVATE CUDA::cublas)
else()
  target_link_libraries(x PRIVATE CUDA::cudart)
endif()
# output
3 build-fail: CUDA::cublas
