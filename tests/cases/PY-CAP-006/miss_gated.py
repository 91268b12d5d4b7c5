import torch

count = torch.cuda.get_device_properties(0).multi_processor_count
if torch.version.hip is None and count >= 108:
    splits = 4
print("SMs", count)
# output
