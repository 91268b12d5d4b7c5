#!/bin/bash
#SBATCH --nodes=2
: ${CUDA_MODULE:="cuda/12.1"}
NCCL=nccl/2.20
module load gcc/12 cuda/12.1
module load ${NCCL}
ml cudatoolkit
module load cuda || true
# output
5 crash: cuda/12.1
6 crash: ${NCCL}
7 crash: cudatoolkit
8 info: cuda
