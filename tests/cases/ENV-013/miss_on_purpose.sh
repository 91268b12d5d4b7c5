# On every platform: the tokens are counted on the CPU.
export CUDA_VISIBLE_DEVICES=-1
python count_tokens.py
HIP_VISIBLE_DEVICES=0,3 python train.py
# output
