#!/bin/bash
driver_version() {
    if ! command -v nvidia-smi >/dev/null 2>&1; then
        echo ""
        return
    fi
    nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1
}

gpu_count() {
    command -v nvidia-smi >/dev/null || return 0
    nvidia-smi -L | wc -l
}
# output
