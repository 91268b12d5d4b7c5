import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:128"
os.environ.setdefault("PYTORCH_ALLOC_CONF", "garbage_collection_threshold:0.8,max_split_size_mb:64")
# output
3 works-as-is: os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:128"
4 works-as-is: os.environ.setdefault("PYTORCH_ALLOC_CONF", "garbage_collection_threshold:0.8,max_split_size_mb:64")
