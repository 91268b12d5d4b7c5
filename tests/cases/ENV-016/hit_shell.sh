export PYTORCH_ROCM_ARCH="gfx1030;gfx1100"
# output
arch: gfx942
1 crash: PYTORCH_ROCM_ARCH="gfx1030;gfx1100"
