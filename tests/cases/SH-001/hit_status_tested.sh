nvidia-smi > /dev/null 2>&1
if [ $? -ne 0 ]; then exit 0; fi
nvidia-smi -L
# output
1 info: nvidia-smi
3 crash: nvidia-smi
