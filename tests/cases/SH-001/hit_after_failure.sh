#!/bin/bash
set -e
# Leaving with an error is no way around: the script still cannot run on AMD.
if ! command -v nvidia-smi >/dev/null; then
    echo "an NVIDIA GPU is needed" >&2
    exit 1
fi
nvidia-smi -L

check() {
    if ! command -v nvidia-smi >/dev/null; then
        return
    fi
    nvidia-smi
}
nvidia-smi pmon -c 1
# output
8 crash: nvidia-smi
16 crash: nvidia-smi
