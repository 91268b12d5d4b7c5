export LD_LIBRARY_PATH=/opt/cudart_stub/lib:$LD_LIBRARY_PATH
export PATH=/opt/barracuda/bin:$PATH
echo $CUDA_HOME
# output
