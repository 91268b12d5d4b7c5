FROM rocm/pytorch
ENV FLASH_ATTENTION_TRITON_AMD_ENABLE="1"
# output
path: Dockerfile.rocm
2 crash: FLASH_ATTENTION_TRITON_AMD_ENABLE="1"
