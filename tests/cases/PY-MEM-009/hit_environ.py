import os

os.environ["PYTORCH_NO_CUDA_MEMORY_CACHING"] = "1"
# output
3 works-as-is: os.environ["PYTORCH_NO_CUDA_MEMORY_CACHING"] = "1"
