if(USE_HIP)
  find_package(hip REQUIRED)
  target_link_libraries(app PRIVATE hip::host roc::hipblas)
else()
  target_link_libraries(app PRIVATE CUDA::cudart)
endif()
# output
