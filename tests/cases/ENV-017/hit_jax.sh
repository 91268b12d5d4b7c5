export JAX_PLATFORMS=cuda
# output
path: train_mi300x.sh
1 crash: JAX_PLATFORMS=cuda
