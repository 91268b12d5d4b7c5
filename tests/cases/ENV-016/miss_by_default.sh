export PYTORCH_ROCM_ARCH="${PYTORCH_ROCM_ARCH:-gfx1030}"
export GPU_ARCHS=native
# output
arch: gfx942
