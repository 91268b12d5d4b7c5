import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:512"
print("PYTORCH_HIP_ALLOC_CONF")
# output
