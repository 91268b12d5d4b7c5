include(FetchContent)
FetchContent_Declare(cutlass GIT_REPOSITORY https://github.com/NVIDIA/cutlass.git GIT_TAG v3.5.0)
FetchContent_MakeAvailable(cutlass)
find_package(NvidiaCutlass REQUIRED)
# output
2 build-fail: FetchContent_Declare(cutlass GIT_REPOSITORY https://github.com/NVIDIA/cutlass.git GIT_TAG v3.5.0)
4 build-fail: find_package(NvidiaCutlass REQUIRED)
