FROM rocm/dev-ubuntu-22.04
ENV HIP_PLATFORM=nvidia
# output
path: Dockerfile.rocm
2 build-fail: HIP_PLATFORM=nvidia
