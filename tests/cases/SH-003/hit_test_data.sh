#!/bin/bash
#SBATCH --gres=gpu:A100:2
# output
path: tests/testdata/containers.sh
2 info: --gres=gpu:A100:2
