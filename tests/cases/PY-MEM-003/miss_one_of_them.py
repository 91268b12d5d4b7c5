import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:256,expandable_segments:False"
os.environ["PYTORCH_ALLOC_CONF"] = "expandable_segments:True"
# output
torch: 2.13
