import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "backend:native"
text = "cudaMallocAsync"
# output
