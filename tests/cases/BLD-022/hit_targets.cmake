find_package(CUDAToolkit REQUIRED)
target_link_libraries(app PRIVATE CUDA::cudart CUDA::cublas_static CUDA::nvtx3)
target_link_libraries(app PRIVATE cudart -lcublasLt m)
set(LIBS "CUDA::cusparse;CUDA::nvrtc")
# output
2 build-fail: CUDA::cudart
2 build-fail: CUDA::cublas_static
2 build-fail: CUDA::nvtx3
3 build-fail: cudart
3 build-fail: -lcublasLt
4 build-fail: "CUDA::cusparse;CUDA::nvrtc"
4 build-fail: "CUDA::cusparse;CUDA::nvrtc"
