#!/bin/bash
HAS_NVIDIA_GPU=false
if command -v nvidia-smi &>/dev/null && nvidia-smi &>/dev/null; then
  HAS_NVIDIA_GPU=true
fi
INSTALL_CUDA=false
TOOLS=0
command -v cmake || TOOLS=1
if [ "$HAS_NVIDIA_GPU" = true ]; then
  INSTALL_CUDA=true
  TOOLS=1
fi
if [ $TOOLS -eq 1 ]; then
  source "$HOME/.cargo/env" || true
  case "$PKG_MGR" in
    apt)
      if [ "$INSTALL_CUDA" = true ]; then
        sudo apt-get install -y nvidia-cuda-toolkit cmake
      else
        sudo apt-get install -y cmake
      fi
      ;;
  esac
fi
$HAS_NVIDIA_GPU && sudo apt-get install -y nvidia-cuda-toolkit
# output
