#!/bin/bash
BY_HAND=false
ASKED=no
FROM_FILE=0
TOOLS=0
if [ "$1" = --gpu ]; then
  BY_HAND=true
fi
read -p "CUDA? " ASKED
source ./settings.sh
if command -v nvidia-smi; then
  TOOLS=1
fi
command -v cmake || TOOLS=1
if [ "$BY_HAND" = true ]; then
  sudo apt-get install -y nvidia-cuda-toolkit
fi
if [ "$ASKED" = yes ]; then
  sudo apt-get install -y nvidia-cuda-toolkit
fi
if [ "$FROM_FILE" = 1 ]; then
  sudo apt-get install -y nvidia-cuda-toolkit
fi
if [ "$TOOLS" = 1 ]; then
  sudo apt-get install -y nvidia-cuda-toolkit
fi
# output
16 crash: nvidia-cuda-toolkit
19 crash: nvidia-cuda-toolkit
22 crash: nvidia-cuda-toolkit
25 crash: nvidia-cuda-toolkit
