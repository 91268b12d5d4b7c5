cmake_minimum_required(VERSION 3.20)
project(kernels LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
set(CMAKE_CUDA_ARCHITECTURES 80 90)
list(APPEND CMAKE_CUDA_ARCHITECTURES 100)
# output
2 build-fail: project(kernels LANGUAGES CXX CUDA)
3 build-fail: find_package(CUDAToolkit REQUIRED)
4 info: set(CMAKE_CUDA_ARCHITECTURES 80 90)
# fixed
--- hit_project.cmake
+++ hit_project.cmake
@@ -1,5 +1,13 @@
 cmake_minimum_required(VERSION 3.20)
-project(kernels LANGUAGES CXX CUDA)
-find_package(CUDAToolkit REQUIRED)
+if(USE_HIP)
+  project(kernels LANGUAGES CXX HIP)
+else()
+  project(kernels LANGUAGES CXX CUDA)
+endif()
+if(USE_HIP)
+  find_package(hip REQUIRED)
+else()
+  find_package(CUDAToolkit REQUIRED)
+endif()
 set(CMAKE_CUDA_ARCHITECTURES 80 90)
 list(APPEND CMAKE_CUDA_ARCHITECTURES 100)
