#!/bin/bash
set -e
#SBATCH --nodes=2
: ${CUDA_MODULE:="cuda/12.1"}
NCCL=nccl/2.20
module load gcc/12 cuda/12.1
module load ${NCCL}
ml cudatoolkit
module load cuda || true
# output
6 crash: cuda/12.1
7 crash: ${NCCL}
8 crash: cudatoolkit
9 info: cuda
