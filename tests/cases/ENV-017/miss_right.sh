export FLASH_ATTENTION_TRITON_AMD_ENABLE="TRUE"
export JAX_PLATFORMS=rocm
export DS_ACCELERATOR=${1:-rocm}
export CUPY_INSTALL_USE_HIP=1
# output
path: train_mi300x.sh
