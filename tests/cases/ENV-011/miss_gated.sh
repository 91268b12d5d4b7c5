if [ ! -d /opt/rocm ]; then
    export CUDA_HOME=/usr/local/cuda
fi
# output
