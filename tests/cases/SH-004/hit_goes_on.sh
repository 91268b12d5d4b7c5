#!/bin/bash
# A module that is not there is a line of output here: the job goes on.
module load cuda/12.8
module load cudnn && python train.py
# output
3 info: cuda/12.8
4 crash: cudnn
