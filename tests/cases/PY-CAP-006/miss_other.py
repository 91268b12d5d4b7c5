import torch

count = torch.cuda.get_device_properties(0).multi_processor_count
programs = max(1, count // 8)
valid = count > 0
rows = x.shape[0] >= 108
text = "multi_processor_count >= 108"
# output
