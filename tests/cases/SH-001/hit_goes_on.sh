#!/bin/bash
# Without set -e a command that is not found costs a line of output, unless something waits for its result.
nvidia-smi
echo "GPU: $(nvidia-smi -L)"
nvidia-smi && python train.py
GPUS=$(nvidia-smi -L | wc -l)
nvidia-smi -L | while read -r line; do python run.py "$line"; done
# output
3 info: nvidia-smi
4 info: nvidia-smi
5 crash: nvidia-smi
6 crash: nvidia-smi
7 crash: nvidia-smi
