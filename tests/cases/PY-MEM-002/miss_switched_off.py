import os
import torch

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:False"
torch.cuda.memory._set_allocator_settings("expandable_segments:False")
print("expandable_segments:True helps against fragmentation")
# output
