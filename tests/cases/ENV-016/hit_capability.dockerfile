FROM rocm/dev-ubuntu-22.04
ENV PYTORCH_ROCM_ARCH=9.0
# output
path: Dockerfile.rocm
2 crash: PYTORCH_ROCM_ARCH=9.0
