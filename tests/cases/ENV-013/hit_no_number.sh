export CUDA_VISIBLE_DEVICES=rocm:0
torchrun --nproc_per_node=8 train.py
# output
1 runs-on-cpu: CUDA_VISIBLE_DEVICES=rocm:0
