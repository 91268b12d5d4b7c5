project(kernels CXX CUDA)
set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -gencode arch=compute_80,code=sm_80 --use_fast_math")
string(APPEND CMAKE_CUDA_FLAGS " -lineinfo")
list(APPEND CUDA_NVCC_FLAGS -Xptxas -v)
target_compile_options(kernels PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr --threads=4>)
# output
2 build-fail: "${CMAKE_CUDA_FLAGS} -gencode arch=compute_80,code=sm_80 --use_fast_math"
3 info: " -lineinfo"
4 build-fail: -Xptxas
5 build-fail: $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr
5 build-fail: --threads=4>
