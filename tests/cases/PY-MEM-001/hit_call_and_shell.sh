#!/bin/bash
export PYTORCH_CUDA_ALLOC_CONF="max_split_size_mb:512,expandable_segments:False"
python train.py
# output
2 works-as-is: PYTORCH_CUDA_ALLOC_CONF="max_split_size_mb:512,expandable_segments:False"
