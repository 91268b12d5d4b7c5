import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
import torch as t

t.cuda.memory._set_allocator_settings("expandable_segments:True")
# output
torch: 2.12
rocm: 7.1
3 crash: os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
6 crash: t.cuda.memory._set_allocator_settings("expandable_segments:True")
