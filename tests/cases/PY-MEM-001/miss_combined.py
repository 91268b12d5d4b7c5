import os

conf = os.environ.get("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:128")
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:128,expandable_segments:True"
# output
