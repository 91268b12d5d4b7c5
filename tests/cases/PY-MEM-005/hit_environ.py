import os

env_var = "backend:cudaMallocAsync"
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = env_var
# output
4 works-as-is: os.environ["PYTORCH_CUDA_ALLOC_CONF"] = env_var
