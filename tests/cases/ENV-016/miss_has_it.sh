export PYTORCH_ROCM_ARCH="gfx90a;gfx942;gfx1100"
export AMDGPU_TARGETS=gfx9-4-generic
# output
arch: gfx942
