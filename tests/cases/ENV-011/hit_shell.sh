export CUDA_HOME=/usr/local/cuda
export LD_LIBRARY_PATH=/usr/local/cuda-12.4/lib64:$LD_LIBRARY_PATH
export PATH=$CUDA_HOME/bin:$PATH
# output
1 works-as-is: CUDA_HOME=/usr/local/cuda
2 works-as-is: LD_LIBRARY_PATH=/usr/local/cuda-12.4/lib64:$LD_LIBRARY_PATH
3 works-as-is: PATH=$CUDA_HOME/bin:$PATH
