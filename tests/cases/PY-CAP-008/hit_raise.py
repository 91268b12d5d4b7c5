import torch

smem = torch.cuda.get_device_properties("cuda").shared_memory_per_block_optin
if smem < 101376:
    raise RuntimeError("needs 99 KiB of shared memory")
# output
4 crash: smem < 101376
