import torch

# backend:cudaMallocAsync
if "cudaMallocAsync" in str(torch.cuda.get_allocator_backend()):
    print("backend:cudaMallocAsync")
# output
