find_package(CUDA REQUIRED)
cuda_add_library(kernels kernel.cu)
cuda_add_executable(app main.cu)
cuda_add_cublas_to_target(app)
target_link_libraries(app ${CUDA_LIBRARIES} ${CUDA_CUBLAS_LIBRARIES} ${CUDA_cufft_LIBRARY})
# output
2 build-fail: cuda_add_library(kernels kernel.cu)
3 build-fail: cuda_add_executable(app main.cu)
4 build-fail: cuda_add_cublas_to_target(app)
5 build-fail: ${CUDA_LIBRARIES}
5 build-fail: ${CUDA_CUBLAS_LIBRARIES}
5 build-fail: ${CUDA_cufft_LIBRARY}
