CUDA_VISIBLE_DEVICES=-1 python prepare.py
CUDA_VISIBLE_DEVICES=GPU-1a2b3c python train.py
export HIP_VISIBLE_DEVICES=0,1
# output
path: run_mi300x.sh
