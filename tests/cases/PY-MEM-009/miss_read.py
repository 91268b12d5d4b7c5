import os

off = os.environ.get("PYTORCH_NO_CUDA_MEMORY_CACHING") == "1"
# output
