#!/usr/bin/env bash
# One training run on this machine: scripts/run.sh [options of train.py]
set -euo pipefail
cd "$(dirname "$0")/.."

export CUDA_HOME="${CUDA_HOME:-/usr/local/cuda}"
export LD_LIBRARY_PATH="$CUDA_HOME/lib64:${LD_LIBRARY_PATH:-}"
export CUDA_DEVICE_ORDER=PCI_BUS_ID
export CUDA_VISIBLE_DEVICES="${GPUS:-0}"
export CUDA_DEVICE_MAX_CONNECTIONS=1
export TORCH_CUDA_ARCH_LIST="${TORCH_CUDA_ARCH_LIST:-9.0}"
export NCCL_DEBUG=WARN
export NCCL_NVLS_ENABLE=0
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True,max_split_size_mb:512

nvidia-smi --query-gpu=index,name,driver_version,memory.total --format=csv

workers=$(awk -F, '{print NF}' <<<"$CUDA_VISIBLE_DEVICES")
if [[ "${PROFILE:-0}" == 1 ]]; then
    exec nsys profile --capture-range=cudaProfilerApi -o train python train.py --profile "$@"
elif ((workers > 1)); then
    exec torchrun --standalone --nproc-per-node="$workers" train.py "$@"
fi
exec python train.py "$@"
