#!/bin/bash
case "$1" in
  cuda|nvidia)
    nvidia-smi -L
    ;;
  rocm) amd-smi list ;;
  *) echo "usage: $0 cuda|rocm" ;;
esac
# output
