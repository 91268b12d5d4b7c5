import torch

props = torch.cuda.get_device_properties(0)
WARP_SIZE = getattr(props, "warp_size", 32)
threads = num_warps * WARP_SIZE
warp_size = 64 if torch.version.hip else 32
block = 32 * rows
if torch.version.hip is None:
    THREADS_PER_WARP = 32
# output
