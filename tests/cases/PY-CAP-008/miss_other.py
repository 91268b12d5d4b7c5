import torch

smem = torch.cuda.get_device_properties(0).shared_memory_per_block
big = smem >= 48 * 1024
shared_memory_size = 4 << 30
BUFFER_BYTES = 232448
text = "MAX_SMEM = 232448"
# output
