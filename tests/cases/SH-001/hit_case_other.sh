#!/bin/bash
set -e
case "$1" in
  start) nvidia-smi ;;
  stop) pkill server ;;
esac
case "$DEVICE" in
  cuda) nvidia-smi -L ;;
  cpu) lscpu ;;
esac
# output
4 crash: nvidia-smi
8 crash: nvidia-smi
