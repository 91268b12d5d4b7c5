cmake_minimum_required(VERSION 3.20)
project(kernels LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
set(CMAKE_CUDA_ARCHITECTURES 80 90)
list(APPEND CMAKE_CUDA_ARCHITECTURES 100)
# output
2 build-fail: project(kernels LANGUAGES CXX CUDA)
3 build-fail: find_package(CUDAToolkit REQUIRED)
4 info: set(CMAKE_CUDA_ARCHITECTURES 80 90)
