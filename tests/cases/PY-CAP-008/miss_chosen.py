import torch

smem = torch.cuda.get_device_properties(0).shared_memory_per_block_optin
block = 128 if smem >= 160 * 1024 else 64
if torch.version.hip is None:
    MAX_SMEM = 232448
SMEM_LIMIT = 64 * 1024
# output
4 info: smem >= 160 * 1024
