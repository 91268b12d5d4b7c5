import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "garbage_collection_threshold:0.8"
# max_split_size_mb:128 was slower
limits = {"max_split_size_mb": 128}
os.environ["MY_ALLOC_CONF"] = "max_split_size_mb:128"
# output
