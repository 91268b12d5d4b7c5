FetchContent_Declare(cutlass GIT_REPOSITORY https://github.com/NVIDIA/cutlass.git GIT_TAG v3.5.0)
# output
1 crash: https://github.com/NVIDIA/cutlass.git
