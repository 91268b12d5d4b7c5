#!/bin/bash
set -e
if ! command -v nvidia-smi &>/dev/null; then USE_CUDA=false; fi
if [ "$USE_CUDA" = true ]; then
  VERSION=$(nvidia-smi | grep "CUDA Version")
fi
# output
5 info: nvidia-smi
