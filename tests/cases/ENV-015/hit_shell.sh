#!/bin/bash
set -euo pipefail
docker run -e TORCH_CUDA_ARCH_LIST="${TORCH_CUDA_ARCH_LIST}" image
# output
path: build_rocm.sh
3 crash: ${TORCH_CUDA_ARCH_LIST}
