PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True,max_split_size_mb:128 python serve.py
# output
torch: 2.11
1 info: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True,max_split_size_mb:128
