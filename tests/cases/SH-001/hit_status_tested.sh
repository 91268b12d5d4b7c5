set -o errexit
nvidia-smi > /dev/null 2>&1
if [ $? -ne 0 ]; then exit 0; fi
nvidia-smi -L
# output
2 info: nvidia-smi
4 crash: nvidia-smi
