export PYTORCH_ALLOC_CONF=expandable_segments:True
torchrun --nproc_per_node 8 train.py
# output
torch: 2.9
rocm: 7.0
1 info: PYTORCH_ALLOC_CONF=expandable_segments:True
