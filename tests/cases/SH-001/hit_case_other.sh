#!/bin/bash
case "$1" in
  start) nvidia-smi ;;
  stop) pkill server ;;
esac
case "$DEVICE" in
  cuda) nvidia-smi -L ;;
  cpu) lscpu ;;
esac
# output
3 crash: nvidia-smi
7 crash: nvidia-smi
