#!/bin/bash
#SBATCH --job-name=train
#SBATCH --gres=gpu:a100:4
#SBATCH --constraint=h100 # fast ones
#SBATCH -C "volta"
srun --gpus-per-node=v100:2 python train.py
sbatch --gres gpu:rtx_3090:1 job.sh
# output
3 crash: --gres=gpu:a100:4
4 crash: --constraint=h100
5 crash: -C "volta"
6 crash: --gpus-per-node=v100:2
7 crash: --gres
