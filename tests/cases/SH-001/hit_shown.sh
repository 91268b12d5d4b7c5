#!/bin/bash -e
# Even set -e goes on where the answer is only shown.
echo "GPU: $(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)"
printf '%s\n' "$(nvidia-smi -L)"
nvidia-smi
# output
3 info: nvidia-smi
4 info: nvidia-smi
5 crash: nvidia-smi
