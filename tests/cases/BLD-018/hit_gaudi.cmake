cmake_minimum_required(VERSION 3.18)
project(k LANGUAGES CXX CUDA)
set(CMAKE_CUDA_ARCHITECTURES 80)
find_package(CUDAToolkit REQUIRED)
if(K_GRAPHICS)
  enable_language(CUDA)
endif()
# output
target: gaudi
2 build-fail: project(k LANGUAGES CXX CUDA)
4 build-fail: find_package(CUDAToolkit REQUIRED)
6 info: enable_language(CUDA)
