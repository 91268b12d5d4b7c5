import torch

MAX_SMEM_BYTES = 227 * 1024
props = torch.cuda.get_device_properties(0)
limit = getattr(props, "shared_memory_per_block_optin", 166912)
assert props.shared_memory_per_block_optin >= 160 * 1024
# output
3 crash: 227 * 1024
5 crash: getattr(props, "shared_memory_per_block_optin", 166912)
6 crash: props.shared_memory_per_block_optin >= 160 * 1024
