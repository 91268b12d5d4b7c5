import os
from torch.cuda import memory

CONF = "expandable_segments:True"
os.environ.update({"PYTORCH_CUDA_ALLOC_CONF": CONF})
memory._set_allocator_settings(CONF)
# output
5 info: "PYTORCH_CUDA_ALLOC_CONF"
6 info: memory._set_allocator_settings(CONF)
