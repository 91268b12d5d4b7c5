add_compile_definitions(__HIP_PLATFORM_HCC__=1)
target_compile_definitions(ops PRIVATE -D__HIP_PLATFORM_NVCC__)
# output
1 build-fail: add_compile_definitions(__HIP_PLATFORM_HCC__=1)
2 build-fail: target_compile_definitions(ops PRIVATE -D__HIP_PLATFORM_NVCC__)
