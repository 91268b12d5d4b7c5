export PYTORCH_ROCM_ARCH="gfx1030;gfx1100"
# output
