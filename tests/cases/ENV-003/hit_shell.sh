#!/bin/bash
export CUDA_VISIBLE_DEVICES=0,1 # pick two
CUDA_VISIBLE_DEVICES=2 python train.py
# output
target: gaudi
2 info: CUDA_VISIBLE_DEVICES=0,1
3 info: CUDA_VISIBLE_DEVICES=2
