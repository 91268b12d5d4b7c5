export JAX_PLATFORMS=cuda
export DS_ACCELERATOR=cuda
# output
path: train_h100.sh
