function(arch_flags out)
  foreach(arch ${CUDA_ARCH_BIN})
    list(APPEND flags -gencode arch=compute_${arch},code=sm_${arch})
  endforeach()
  set(${out} ${flags} PARENT_SCOPE)
endfunction()

arch_flags(found)
set(CUDA_NVCC_FLAGS ${CUDA_NVCC_FLAGS} ${found})
set(HOST_TOO -Xcompiler=-fPIC)
add_compile_options(${HOST_TOO})
# output
3 info: -gencode
10 build-fail: -Xcompiler=-fPIC
