#!/bin/bash
#SBATCH --gres=gpu:4
#SBATCH --gpus-per-task=1
#SBATCH --job-name=a100
#SBATCH --constraint=skylake
srun --gpus=2 python train.py --model t4
# output
